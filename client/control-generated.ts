// Generated from the OpenAPI document by client/generate.ts. Do not edit: run `npm run generate`.

export interface paths {
    "/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The accounts the user is a member of.
         * @description The accounts the user is a member of, oldest first.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Creates an account on the Free plan, with the user as its owner.
         * @description Creates an account on the Free plan; an operator changes the plan. A user who is already a member of 5 accounts gets 409.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An account.
         * @description One of the user's accounts, with its plan, its limits, and how many projects and custom domains it has.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        /**
         * Deletes an account without projects, with its keys, usage, members and invitations.
         * @description Its keys are refused at once. Its usage, members, invitations and sandbox records are deleted with it; its entries in the audit log stay for 400 days. While it has projects, returns 409: delete them first.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was changed in the account, when, by whom and from where, the latest first.
         * @description Changes of the last 400 days: of keys, members, invitations, plans, projects, deployments, deploy tokens and domains, by users, pipelines, the operator and the service itself. Requests to the catalogue API are not in it. `details` has facts such as the role of a new member. For an export, follow the `Link` headers.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The invitations to the account that are open.
         * @description Oldest first. Requires the role owner. An invitation is open for seven days, until it is accepted, withdrawn or replaced, or who invited is no longer an owner.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invites an email address to the account.
         * @description Requires the role owner. The address gets an email with a link; if the installation sends no emails, the link is in the response, to be handed over. Inviting an address again replaces its invitation, whose links end. An account has up to 20 open invitations (409). In a UTC day, up to 30 are sent for an account, and up to 30 by a user (429).
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraws an invitation.
         * @description Its links end at once. Requires the role owner.
         */
        delete: operations["withdrawInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * API keys, without their texts.
         * @description The account's keys, oldest first, each with its state and last use. Keys that have expired are listed for 90 days. Revoked keys: listRevokedKeys.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Issues an API key; its text is only in this response.
         * @description The key's text is only in this response: it is not stored. An account that already has 10 keys gets 409.
         */
        post: operations["issueKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes a key at once.
         * @description The key is refused from now on. This can't be undone.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issues a successor, and ends the key after a grace period.
         * @description Issues a key with the same name and scopes. Both work until the grace period ends. If the old key is banned, the new key inherits the ban.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/keys/{keyId}/unban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lifts a key's ban; takes effect within a minute. The next ban is still longer.
         * @description Takes effect within a minute. Wait that long before you send requests with the key, or it is banned again, for longer. If the key is not banned, returns 409.
         */
        post: operations["unbanKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The users who may act for the account.
         * @description An owner may do everything. A member works with projects, domains, keys and deployments, but does not change who belongs to the account, nor delete projects. Owners invite members; an operator can add them directly.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes a member's role. The last owner stays one.
         * @description Requires the role owner; owners may also step down themselves. To hand an account over, make another member an owner, then step down. The last owner stays one: 409.
         */
        put: operations["changeMember"];
        post?: never;
        /**
         * Removes a member from the account. The last owner stays.
         * @description Takes effect at once. Requires the role owner; members may remove themselves. Removing the last owner of an account returns 409.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/plan-request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Asks the operator for another plan; replaces an earlier request.
         * @description The operator sees the request, and approves or declines it; members get an email, if the installation sends any. Asking for the plan that the account is on returns 409.
         */
        put: operations["requestPlan"];
        post?: never;
        /**
         * Takes the request for a plan back, or puts a decided one away.
         * @description Without a request, returns 404.
         */
        delete: operations["withdrawPlanRequest"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Projects, oldest first.
         * @description The account's projects, oldest first.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Creates a project, which serves the API reference until its first deployment.
         * @description Publish its files with an upload. The plan limits the number of projects; at the limit, returns 409.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/revoked-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * API keys revoked within the last 90 days, the latest first.
         * @description For 90 days, who revoked a key, and when. At most 100 keys.
         */
        get: operations["listRevokedKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{accountId}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An account's quota usage; does not count as a request.
         * @description Usage of the current minute and day, the last hour by minute, the last day by hour, the last 30 days by day, and the bans in force. This request uses up no quota.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accepts the invitation of a link: the user becomes a member of the account.
         * @description Works once. The user's verified address must be the invited one: others get 403. A member keeps their role, and gets 409; the invitation ends.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/view": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The invitation of a link.
         * @description For the signed-in user who has the link. All links that can’t be used get the same 404: expired, withdrawn, replaced or accepted ones, and junk.
         */
        post: operations["viewInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The signed-in user, their accounts, and the platform.
         * @description The token's user, the accounts they are a member of, and the platform's names, port and plans.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which emails the user gets.
         * @description A user who has not chosen gets all kinds, also those that are added later. Emails are sent to the members of an account.
         */
        get: operations["getNotificationSettings"];
        /**
         * Chooses which emails the user gets.
         * @description Holds for all accounts of the user, and for no other member.
         */
        put: operations["updateNotificationSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where the user is signed in.
         * @description Browsers and command lines that can renew their access. Cognito does not tell sessions apart: on AWS the list is empty.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/sessions/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends one of the user's sessions, or all but this one.
         * @description Takes effect at once. A browser ends together with the command lines that were signed in with it. Where sessions can’t be listed, returns 404: use signOutEverywhere.
         */
        post: operations["endSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends all of the user's sessions at once, including this one.
         * @description No session can be renewed any more. Access tokens that were issued before are refused at once; on AWS, they work until they expire, ten minutes at most.
         */
        post: operations["signOutEverywhere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document.
         * @description The OpenAPI document of this API. Needs no token.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A project.
         * @description A project, with the target that its domains point to.
         */
        get: operations["getProject"];
        /**
         * Gives a project another display name.
         * @description Only the name changes; the id and the target stay.
         */
        put: operations["renameProject"];
        post?: never;
        /**
         * Deletes a project without domains, and its deployments.
         * @description Its deployments are deleted with it. While it has domains, returns 409: remove them first.
         */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The primary domain and the redirects.
         * @description The project's primary domain and its redirects.
         */
        get: operations["getConfiguration"];
        /**
         * Replaces the configuration.
         * @description All names must be domains of the project; the primary domain and all redirect targets must be live. Redirects must not form a loop. An invalid configuration is refused as a whole with 400; the message has a line for each fault, by its path, such as `domains.redirects[0].to`.
         */
        put: operations["putConfiguration"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/deploy-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deploy tokens, without their texts.
         * @description Oldest first. An expired token is listed for 30 days at least.
         */
        get: operations["listDeployTokens"];
        put?: never;
        /**
         * Creates a deploy token; its text is only in this response.
         * @description A pipeline sends the token as a bearer token to the paths below `/deploy/v1/`: there it can publish the project's files, list deployments and make an earlier one current, and nothing else. A project has up to 10 tokens; at the limit, returns 409.
         */
        post: operations["createDeployToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/deploy-tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes a deploy token at once.
         * @description The token is refused from now on. This can't be undone.
         */
        delete: operations["revokeDeployToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deployments, newest first.
         * @description The 1000 newest deployments, newest first, and which of them is current. The last 10 that were served, with the current one among them, and pinned ones are kept; older ones are deleted when another one is published.
         */
        get: operations["listDeployments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/deployments/{deploymentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes a deployment that is neither current nor pinned.
         * @description It can no longer be made current, and its files are removed. For the current deployment and for a pinned one, returns 409.
         */
        delete: operations["deleteDeployment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/deployments/{deploymentId}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Pins a deployment: it is kept until it is unpinned.
         * @description Of the others, the 10 that were served last are kept. A project has up to 10 pinned deployments; at the limit, returns 409.
         */
        put: operations["pinDeployment"];
        post?: never;
        /**
         * Unpins a deployment.
         * @description With the next publication, it is deleted unless it is current or one of the 10 that were served last.
         */
        delete: operations["unpinDeployment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Domains, oldest first.
         * @description The project's domains, oldest first, each with its state and advice.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Adds a domain; the response has the records to set.
         * @description Set the records in the response at your DNS provider, then verify. Requires a paid plan (Pro or above) and a deployment; without them, returns 409.
         */
        post: operations["addDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/domains/{domainId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A domain.
         * @description While a domain changes automatically, `nextCheckAt` is when to fetch it again.
         */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /**
         * Stops serving the domain at once and deletes what was made for it.
         * @description Traffic has stopped when the response arrives. Removing the primary domain or the target of a redirect requires `withRedirects`; without it, returns 409.
         */
        delete: operations["removeDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/domains/{domainId}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets the domain's records, if the platform runs their zone.
         * @description If the platform does not manage the zone, returns 409: set the records at your DNS provider.
         */
        post: operations["publishRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/domains/{domainId}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify: checks the DNS now; the rest follows automatically.
         * @description Returns at once. Before the domain is live, usually in the state `verifying`: once the DNS is right, the certificate is issued and the domain goes live. A served domain keeps its state, and its record is checked; a domain whose certificate is being issued is returned as it is. What fails is tried again automatically, so one call is enough. At most 6 times a minute for a domain and 30 for an account; beyond that, returns 429.
         */
        post: operations["verifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes an earlier deployment current: the given one, or the one before the current.
         * @description Takes effect with the next request. Without an earlier deployment, returns 409.
         */
        post: operations["rollBack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begins a deployment: announces its files.
         * @description Announces the files of a new deployment, with sizes and digests. Then send the files (`listUploadTargets`) and publish them. The plan limits their number and size. A project has at most 10 uploads that are not published, and deployments of 20 times the size that the plan allows for one; beyond these limits, returns 409.
         */
        post: operations["beginUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/uploads/{deploymentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A page of requests that send the files that are missing.
         * @description Lists only files that are not stored yet, so an upload that was interrupted continues here. Send each file with PUT to its `url` with its `headers`; several at a time are fine. Content other than announced is refused. A `url` is valid for an hour.
         */
        get: operations["listUploadTargets"];
        put?: never;
        post?: never;
        /**
         * Cancels an upload.
         * @description Its files are removed soon after, and it no longer counts among the uploads of the project.
         */
        delete: operations["cancelUpload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/uploads/{deploymentId}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes the deployment current, once all of its files are stored.
         * @description All files are served from the next request on, together. While files are missing, returns 409. Safe to repeat.
         */
        post: operations["publishUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The sandbox records set by the user's accounts or the operator, if the platform has a sandbox.
         * @description Other accounts' records are not shown. Without a sandbox, returns 404.
         */
        get: operations["listSandboxRecords"];
        /**
         * Sets a sandbox record, as at a DNS provider, and replaces those with the same name and type.
         * @description Setting a name that belongs to another account gets 409, as does adding a 201st record. Without a sandbox, returns 404.
         */
        put: operations["setSandboxRecord"];
        post?: never;
        /**
         * Removes a sandbox record.
         * @description Name, type and value as in the list. Without a sandbox, returns 404.
         */
        delete: operations["unsetSandboxRecord"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An account: its keys share a quota. */
        Account: {
            /** @description Id of the account */
            accountId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Requests to the catalogue API by all of the account's keys together */
            limits: {
                perDay: number;
                perMinute: number;
            };
            name: string;
            plan: components["schemas"]["PlanName"];
            /** @description The plan that was asked for last; null if none was */
            planRequest: {
                /** @description Null while the request is open */
                decision: {
                    approved: boolean;
                    /** Format: date-time */
                    at: string;
                    /** @description From the operator; may be empty */
                    reason: string;
                } | null;
                note: string;
                plan: components["schemas"]["PlanName"];
                /** Format: date-time */
                requestedAt: string;
            } | null;
            /** @description The user's role in the account */
            role: components["schemas"]["Role"];
            /** @description Set while the operator has suspended the account; null while it is in use */
            suspension: {
                /** @description From the operator */
                reason: string;
                /** Format: date-time */
                since: string;
            } | null;
        };
        /** @description An account, with what it uses. */
        AccountDetail: {
            /** @description Id of the account */
            accountId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Requests to the catalogue API by all of the account's keys together */
            limits: {
                perDay: number;
                perMinute: number;
            };
            name: string;
            plan: components["schemas"]["PlanName"];
            /** @description The plan that was asked for last; null if none was */
            planRequest: {
                /** @description Null while the request is open */
                decision: {
                    approved: boolean;
                    /** Format: date-time */
                    at: string;
                    /** @description From the operator; may be empty */
                    reason: string;
                } | null;
                note: string;
                plan: components["schemas"]["PlanName"];
                /** Format: date-time */
                requestedAt: string;
            } | null;
            /** @description The user's role in the account */
            role: components["schemas"]["Role"];
            /** @description Set while the operator has suspended the account; null while it is in use */
            suspension: {
                /** @description From the operator */
                reason: string;
                /** Format: date-time */
                since: string;
            } | null;
            /** @description What counts towards the plan's limits */
            used: {
                /** @description Custom domains of all projects */
                domains: number;
                projects: number;
            };
        };
        AccountInput: {
            /** @description Display name: not blank, without control characters */
            name: string;
        };
        /**
         * @description Who must act.
         * @enum {string}
         */
        Actor: "owner" | "dns_provider" | "platform" | "nobody";
        /**
         * @description What a domain waits for, or why it failed: docs/diagnoses.md.
         * @enum {string}
         */
        AdviceCode: "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "conflict_https" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed" | "suspended_plan" | "suspended_no_deployment" | "suspended_account" | "suspended_by_operator" | "awaiting_dns" | "checking_dns" | "certificate_pending" | "certificate_late" | "certificate_refused" | "attaching" | "renewal_late" | "certificate_expired" | "removing" | "taken_over";
        /** @description A fact about a change. */
        AuditDetail: string | number | boolean;
        /** @description A change in an account. */
        AuditEntry: {
            /** @enum {string} */
            action: "account.created" | "account.plan_set" | "account.plan_requested" | "account.plan_request_closed" | "account.suspended" | "account.resumed" | "account.deleted" | "key.issued" | "key.expiry_set" | "key.unbanned" | "key.revoked" | "member.added" | "member.role_set" | "member.removed" | "invitation.created" | "invitation.link_created" | "invitation.removed" | "deploy_token.issued" | "deploy_token.revoked" | "project.created" | "project.renamed" | "project.configured" | "project.deleted" | "deployment.published" | "deployment.served" | "deployment.pinned" | "deployment.unpinned" | "deployment.deleted" | "files.removed" | "domain.added" | "domain.state_set" | "sandbox_record.set" | "sandbox_record.removed" | "notifications.set" | "user.added" | "user.password_set" | "user.removed" | "session.ended" | "sessions.ended" | "animals.imported" | "animal.removed";
            actor: {
                /** @description IP address; null for the operator, and for what happens by itself */
                address: string | null;
                /** @description Of a user; null if users are managed elsewhere, or no longer exist */
                email: string | null;
                /** @description Of a user or a deploy token; otherwise null */
                id: string | null;
                /**
                 * @description `workflow`: the work on domains; `sweep`: the removal of what is no longer needed; `service`: the service itself
                 * @enum {string}
                 */
                kind: "user" | "deploy_token" | "operator" | "visitor" | "workflow" | "sweep" | "service";
            };
            /** Format: date-time */
            at: string;
            /** @description Facts that depend on the action */
            details: {
                [key: string]: components["schemas"]["AuditDetail"];
            };
            entryId: string;
            /** @description `X-Request-Id` of the request that made the change; null without a request */
            requestId: string | null;
            /** @description Id of what has changed; of a record, its name */
            subject: string;
        };
        /**
         * @description Why an attempt at a certificate failed. Another attempt always follows.
         * @enum {string}
         */
        CertificateFailure: "caa" | "validation" | "rate_limited" | "queued" | "name_refused" | "name_in_use" | "name_in_use_here" | "timed_out" | "authority_unavailable" | "account" | "edge_not_ready" | "other";
        /** @description One immutable set of a project's files. */
        Deployment: {
            bytes: number;
            /** Format: date-time */
            createdAt: string;
            /** @description Whether it is the current deployment */
            current: boolean;
            /** @description Id of the deployment */
            deploymentId: string;
            files: number;
            /** @description Whether it is kept until it is unpinned */
            pinned: boolean;
        };
        /** @description A token with which a pipeline publishes a project's files, without its text. */
        DeployToken: {
            /** Format: date-time */
            createdAt: string;
            /** @description Id of the user */
            createdBy: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description To the minute; null if it has not been used */
            lastUsedAt: string | null;
            name: string;
            /** @enum {string} */
            state: "active" | "expired";
            /** @description Id of the token, not the token itself */
            tokenId: string;
        };
        DeployTokenInput: {
            /**
             * @description How long the token works
             * @default 90
             */
            expiresInDays?: number;
            /** @description Display name: not blank, without control characters */
            name: string;
        };
        /**
         * @description What is wrong with a domain's DNS: docs/diagnoses.md.
         * @enum {string}
         */
        DiagnosisCode: "ok" | "ok_flattened" | "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "conflict_https" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed";
        /** @description The DNS provider that hosts a domain's zone, and what to do there. */
        DnsProvider: {
            /** @description What it calls a record that points a domain itself to another name; null if it has none */
            apexAlias: string | null;
            /** @description About its API, or its support of Domain Connect; null if none is known */
            automation: string | null;
            /** @description What its form calls the fields */
            fields: {
                name: string;
                value: string;
            };
            id: string;
            /** @description A page for people, with HTTPS */
            link: string;
            name: string;
            /** @description What goes wrong there */
            notes: string[];
            /** @description The records as its form takes them */
            records: {
                /** @description Empty if the field is left empty */
                name: string;
                ttl: string;
                type: string;
                value: string;
            }[];
            /** @description What to do there, in order */
            steps: string[];
        };
        /** @description A record to set at the domain's DNS provider. */
        DnsRecord: {
            /** @description The name as most DNS providers expect it: without the registered domain, @ for that domain itself */
            label: string;
            name: string;
            /** @description Seconds */
            ttl: number;
            /** @enum {string} */
            type: "CNAME" | "ALIAS" | "TXT";
            value: string;
        };
        /** @description A custom domain of a project. */
        Domain: {
            /** @description What to do, and who must act; null if nothing is pending */
            advice: {
                actor: components["schemas"]["Actor"];
                code: components["schemas"]["AdviceCode"];
                /** @description What to do, as text */
                fix: string;
                /** @description What was found, as text */
                seen: string;
            } | null;
            /** @description Whether `publish` can set its records, because the service runs its zone */
            canPublish: boolean;
            /** @description Whether `verify` does anything now: not for a removed domain, nor while the next step is under way */
            canVerify: boolean;
            /** @description The certificate that it is served with; null before it is live, and on AWS, which renews certificates itself */
            certificate: {
                issuer: string;
                /** Format: date-time */
                notAfter: string;
                /** Format: date-time */
                notBefore: string;
                /**
                 * Format: date-time
                 * @description From then on it is renewed automatically
                 */
                renewsAt: string;
            } | null;
            /** @description No certificate within 30 minutes; `advice` says why, and what happens next */
            certificateLate: boolean;
            /** @description The domain that was added in the same step: the same name with, or without, www */
            companion: {
                /** @description Id of the domain */
                domainId: string;
                /** @description Host name: lower case, in ASCII, without a trailing dot */
                host: string;
            } | null;
            /** @description The certificate authority's message; only in the state certificate_failed */
            detail?: string;
            /** @description The latest result of a DNS check */
            diagnosis: {
                actor: components["schemas"]["Actor"];
                code: components["schemas"]["DiagnosisCode"];
                /** @description What to do, as text */
                fix: string;
                /** @description What was found, as text */
                seen: string;
            } | null;
            /** @description The host as its owner would write it: in Unicode, unless it could then be mistaken for another name */
            displayHost: string;
            /** @description When its DNS was last looked up */
            dnsSeenAt: string | null;
            /** @description Id of the domain */
            domainId: string;
            /** @description Why there is no certificate; only in the state certificate_failed */
            failure?: components["schemas"]["CertificateFailure"];
            /** @description Its past states; the current one is last */
            history: {
                /** Format: date-time */
                at: string;
                state: components["schemas"]["DomainState"];
            }[];
            /** @description Host name: lower case, in ASCII, without a trailing dot */
            host: string;
            /** @description Whether it will change automatically soon, so that polling makes sense */
            inProgress: boolean;
            /** @description The latest attempt at its certificate, the first one or a renewal, if it failed; null once one has succeeded */
            lastFailure: {
                actor: components["schemas"]["Actor"];
                /** @description How many attempts have failed in a row */
                attempts: number;
                code: components["schemas"]["CertificateFailure"];
                /** @description What to do, as text */
                fix: string;
                /**
                 * Format: date-time
                 * @description When the next attempt is made
                 */
                nextTryAt: string;
                /** @description What was found, as text */
                seen: string;
                /**
                 * Format: date-time
                 * @description When the first of the consecutive failures happened
                 */
                since: string;
            } | null;
            /**
             * Format: date-time
             * @description When the next automatic check runs
             */
            nextCheckAt?: string;
            /** @description Id of the project */
            projectId: string;
            /** @description Null while unknown */
            provider: components["schemas"]["DnsProvider"] | null;
            /**
             * @description Why it is not served; only in the state suspended
             * @enum {string}
             */
            reason?: "plan" | "no_deployment" | "account" | "by_operator";
            /** @description The records that must exist in the DNS */
            records: components["schemas"]["DnsRecord"][];
            /** @description The host to which it will redirect once that one is served; null if nothing is intended */
            redirectTo: string | null;
            /** @description Whether the project's pages are served on it */
            served: boolean;
            /**
             * Format: date-time
             * @description When this state began
             */
            since: string;
            state: components["schemas"]["DomainState"];
            /** @description The state as text */
            stateLabel: string;
        };
        DomainInput: {
            /**
             * @description Also adds the same name with, or without, www, and redirects it to this one once this one is live; only for a registered domain and its www
             * @default false
             */
            companion?: boolean;
            /** @description As its owner types or pastes it: any case, in Unicode or ASCII, also as a URL */
            host: string;
        };
        /**
         * @description A domain's state: docs/domain-workflow.md.
         * @enum {string}
         */
        DomainState: "awaiting_dns" | "verifying" | "verified" | "certificate_pending" | "attaching" | "live" | "degraded" | "certificate_expired" | "dns_failed" | "certificate_failed" | "suspended" | "removing" | "taken_over" | "removed";
        /** @description Done; there is nothing to report. */
        Done: {
            /** @description Always true */
            done: boolean;
        };
        EndSessionsInput: {
            /** @description If omitted, all but the one of this request */
            sessionId?: string;
        };
        /** @description The body of every error. */
        Error: {
            /**
             * @description Machine-readable error code.
             * @enum {string}
             */
            code: "invalid_request" | "unauthorized" | "forbidden" | "account_suspended" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "idempotency_in_progress" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limit_exceeded" | "headers_too_large" | "internal_error" | "unavailable";
            /** @description What was given, what is allowed, what to do. */
            message: string;
            /** @description The HTTP status code. */
            status: number;
        };
        /** @description An invitation to an account, without its link. */
        Invitation: {
            /** Format: date-time */
            createdAt: string;
            /** @description The invited address */
            email: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Id of the invitation, not the link */
            invitationId: string;
            invitedBy: components["schemas"]["Inviter"];
            /** @description Whether the link was sent to the address; otherwise, the response to inviteMember has it */
            mailed: boolean;
            /** @description What they would be */
            role: components["schemas"]["Role"];
        };
        InvitationInput: {
            /** @description The address to invite, in any case */
            email: string;
            /**
             * @default member
             * @enum {string}
             */
            role?: "owner" | "member";
        };
        InvitationTokenInput: {
            /** @description The part of the invitation's link after # */
            token: string;
        };
        /** @description Who has invited. */
        Inviter: {
            /** @description Null if users are managed elsewhere */
            email: string | null;
            /** @description Null: the operator */
            userId: string | null;
        };
        /** @description A new deploy token. */
        IssuedDeployToken: {
            /** Format: date-time */
            createdAt: string;
            /** @description Id of the user */
            createdBy: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description To the minute; null if it has not been used */
            lastUsedAt: string | null;
            name: string;
            /** @enum {string} */
            state: "active" | "expired";
            /** @description The token itself; shown only once */
            token: string;
            /** @description Id of the token, not the token itself */
            tokenId: string;
        };
        /** @description A new API key. */
        IssuedKey: {
            /** @description Null if no ban is in force */
            bannedUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Who issued or rotated it; null for keys issued before this was stored */
            createdBy: components["schemas"]["KeyActor"] | null;
            /** @description Null if it does not expire */
            expiresAt: string | null;
            /** @description Whether it expires within seven days and has no successor */
            expiresSoon: boolean;
            /** @description Start and end of its text, such as petstore_live_8sK2…zFw9; null for keys issued before hints were stored */
            hint: string | null;
            /** @description The key itself; shown only once */
            key: string;
            /** @description Id of the key, not the key itself */
            keyId: string;
            /** @description To the minute; null if it has not been used */
            lastUsedAt: string | null;
            name: string;
            scopes: ("pets:read" | "pets:write")[];
            /** @enum {string} */
            state: "active" | "banned" | "expired";
            /** @description The key that replaces it; null if it has not been rotated */
            successorId: string | null;
        };
        /** @description An API key, without its text. */
        Key: {
            /** @description Null if no ban is in force */
            bannedUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Who issued or rotated it; null for keys issued before this was stored */
            createdBy: components["schemas"]["KeyActor"] | null;
            /** @description Null if it does not expire */
            expiresAt: string | null;
            /** @description Whether it expires within seven days and has no successor */
            expiresSoon: boolean;
            /** @description Start and end of its text, such as petstore_live_8sK2…zFw9; null for keys issued before hints were stored */
            hint: string | null;
            /** @description Id of the key, not the key itself */
            keyId: string;
            /** @description To the minute; null if it has not been used */
            lastUsedAt: string | null;
            name: string;
            scopes: ("pets:read" | "pets:write")[];
            /** @enum {string} */
            state: "active" | "banned" | "expired";
            /** @description The key that replaces it; null if it has not been rotated */
            successorId: string | null;
        };
        /** @description Who issued or revoked a key. */
        KeyActor: {
            /** @description Null if users are managed elsewhere, for the operator, and for users who no longer exist */
            email: string | null;
            /** @description Null: the operator */
            userId: string | null;
        };
        KeyInput: {
            /** @description If omitted, the key does not expire */
            expiresInDays?: number;
            /** @description Display name: not blank, without control characters */
            name: string;
            /**
             * @description What the key permits
             * @default [
             *       "pets:read",
             *       "pets:write"
             *     ]
             */
            scopes?: ("pets:read" | "pets:write")[];
        };
        /** @description The signed-in user, their accounts, and the platform. */
        Me: {
            /** @description The user's accounts, oldest first */
            accounts: components["schemas"]["Account"][];
            /** @description Null if unknown */
            email: string | null;
            platform: {
                /** @description The parent of all projects' targets */
                edgeHost: string;
                /** @description Port that domains are served on over HTTPS */
                httpsPort: number;
                /** @description Smallest first */
                plans: components["schemas"]["Plan"][];
                /** @description The suffix of the sandbox's names; null if there is no sandbox */
                sandboxSuffix: string | null;
            };
            /** @description Id of the user */
            userId: string;
        };
        /** @description A user who may act for an account. */
        Member: {
            /** @description Null if users are managed elsewhere */
            email: string | null;
            role: components["schemas"]["Role"];
            /** @description Id of the user */
            userId: string;
        };
        MemberInput: {
            /** @enum {string} */
            role: "owner" | "member";
        };
        /**
         * @description What an email to the members of an account is about.
         * @enum {string}
         */
        NotificationKind: "domain_live" | "domain_failed" | "domain_degraded" | "domain_lost" | "certificate_late" | "certificate_expired" | "key_banned" | "quota_warning" | "quota_used_up" | "member_added" | "plan_decided";
        /** @description Which emails the user gets, about all of their accounts. */
        NotificationSettings: {
            /** @description The kinds that the user gets */
            kinds: components["schemas"]["NotificationKind"][];
            /** @description Whether this installation sends emails at all */
            sends: boolean;
        };
        NotificationSettingsInput: {
            /** @description The kinds to get; all others are turned off */
            kinds: ("domain_live" | "domain_failed" | "domain_degraded" | "domain_lost" | "certificate_late" | "certificate_expired" | "key_banned" | "quota_warning" | "quota_used_up" | "member_added" | "plan_decided")[];
        };
        /** @description Requests in a window of the usage history. */
        PastWindow: {
            admitted: number;
            /** @description Requests that got 429; reported up to a minute later */
            refused: number;
            /** Format: date-time */
            startsAt: string;
        };
        /** @description What a plan allows an account. */
        Plan: {
            /** @description Maxima for one deployment */
            deployment: {
                /** @description Of all files together */
                bytes: number;
                /** @description Of a single file */
                fileBytes: number;
                files: number;
            };
            /** @description Maximum number of custom domains per account; 0 if the plan has none */
            domains: number;
            /** @description Display name */
            label: string;
            /** @description Null if agreed per account */
            limits: {
                perDay: number;
                perMinute: number;
            } | null;
            plan: components["schemas"]["PlanName"];
            /** @description Maximum number of projects per account */
            projects: number;
        };
        /**
         * @description A plan.
         * @enum {string}
         */
        PlanName: "free" | "pro" | "business" | "enterprise";
        PlanRequestInput: {
            /**
             * @description What the operator should know: up to 500 characters, without control characters
             * @default
             */
            note?: string;
            /** @enum {string} */
            plan: "free" | "pro" | "business" | "enterprise";
        };
        /** @description Files that are served on domains. */
        Project: {
            /** @description Id of the account */
            accountId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The current deployment */
            deploymentId: string | null;
            name: string;
            /** @description Id of the project */
            projectId: string;
            /** @description The value of its domains' CNAME records */
            target: string;
            /** @description Where the project is served without a domain, marked as not for search engines; null if the platform has no such addresses */
            url: string | null;
        };
        /** @description The project's primary domain, its redirects, and what is recorded about visitors */
        ProjectConfiguration: {
            domains: {
                /** @description The main domain of the project */
                primary?: string;
                redirects: {
                    /** @description Host name: lower case, in ASCII, without a trailing dot */
                    from: string;
                    /** @enum {integer} */
                    status: 301 | 302 | 307 | 308;
                    /** @description Host name: lower case, in ASCII, without a trailing dot */
                    to: string;
                }[];
            };
            /** @description What is recorded about visitors; nothing without it */
            logs?: {
                /** @description Visits are in the operator's access log, with the visitors' addresses; always true */
                access: boolean;
            };
        };
        ProjectConfigurationInput: {
            domains: {
                /** @description The project's primary domain: a live domain of the project */
                primary?: string;
                /** @default [] */
                redirects?: {
                    /** @description The old domain: one of the project's domains */
                    from: string;
                    /**
                     * @description Status of the redirect
                     * @default 301
                     * @enum {integer}
                     */
                    status?: 301 | 302 | 307 | 308;
                    /** @description The target: a live domain of the project */
                    to: string;
                }[];
            };
            logs?: {
                /**
                 * @description Whether visits are in the operator's access log, with the visitors' addresses, which are personal data. Only on one machine
                 * @default false
                 */
                access?: boolean;
            };
        };
        ProjectInput: {
            /** @description Display name: not blank, without control characters */
            name: string;
        };
        /** @description An invitation, as who has its link sees it. */
        ReceivedInvitation: {
            accountName: string;
            /** @description The invited address */
            email: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Whether it is for the user's address; otherwise they can't accept it */
            forYou: boolean;
            /** @description Address of the owner who invited; null if it is unknown */
            invitedBy: string | null;
            /** @description Whether the user is a member already */
            member: boolean;
            /** @description What they would be */
            role: components["schemas"]["Role"];
        };
        /** @description What is kept of a revoked API key. */
        RevokedKey: {
            /** Format: date-time */
            createdAt: string;
            /** @description Who issued or rotated it; null for keys issued before this was stored */
            createdBy: components["schemas"]["KeyActor"] | null;
            /** @description Start and end of its text, such as petstore_live_8sK2…zFw9; null for keys issued before hints were stored */
            hint: string | null;
            /** @description Id of the key, not the key itself */
            keyId: string;
            /** @description To the minute; null if it has not been used */
            lastUsedAt: string | null;
            name: string;
            /** Format: date-time */
            revokedAt: string;
            revokedBy: components["schemas"]["KeyActor"];
            scopes: ("pets:read" | "pets:write")[];
        };
        /**
         * @description What a member may do: an owner everything; a member everything except what requires the role owner.
         * @enum {string}
         */
        Role: "owner" | "member";
        RollBackInput: {
            /** @description If omitted, the one before the current */
            deploymentId?: string;
        };
        /** @description An API key's successor. */
        RotatedKey: {
            /** @description Null if no ban is in force */
            bannedUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Who issued or rotated it; null for keys issued before this was stored */
            createdBy: components["schemas"]["KeyActor"] | null;
            /** @description Null if it does not expire */
            expiresAt: string | null;
            /** @description Whether it expires within seven days and has no successor */
            expiresSoon: boolean;
            /** @description Start and end of its text, such as petstore_live_8sK2…zFw9; null for keys issued before hints were stored */
            hint: string | null;
            /** @description The key itself; shown only once */
            key: string;
            /** @description Id of the key, not the key itself */
            keyId: string;
            /** @description To the minute; null if it has not been used */
            lastUsedAt: string | null;
            name: string;
            /**
             * Format: date-time
             * @description Both keys work until then
             */
            oldExpiresAt: string;
            /** @description Id of the key, not the key itself */
            oldKeyId: string;
            scopes: ("pets:read" | "pets:write")[];
            /** @enum {string} */
            state: "active" | "banned" | "expired";
            /** @description The key that replaces it; null if it has not been rotated */
            successorId: string | null;
        };
        RotationInput: {
            /**
             * @description How long the old key keeps working
             * @default 86400
             */
            graceSeconds?: number;
        };
        /** @description A record in the sandbox's DNS. */
        SandboxRecord: {
            name: string;
            /** @description Seconds */
            ttl: number;
            /** @enum {string} */
            type: "A" | "AAAA" | "CNAME" | "TXT" | "CAA" | "ALIAS";
            value: string;
        };
        SandboxRecordInput: {
            /** @description The owner; if omitted, the user's oldest account */
            accountId?: string;
            /** @description Below the sandbox's suffix; the first label may be * */
            name: string;
            /**
             * @description Seconds
             * @default 3600
             */
            ttl?: number;
            /** @enum {string} */
            type: "A" | "AAAA" | "CNAME" | "TXT" | "CAA" | "ALIAS";
            /** @description As in a zone file: an address, a name, a text, or flags, tag and value of a CAA record */
            value: string;
        };
        /** @description A new invitation. */
        SentInvitation: {
            /** Format: date-time */
            createdAt: string;
            /** @description The invited address */
            email: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Id of the invitation, not the link */
            invitationId: string;
            invitedBy: components["schemas"]["Inviter"];
            /** @description To be handed to the invited person: a path below the dashboard's address. Only here, and null if it is sent by mail */
            link: string | null;
            /** @description Whether the link was sent to the address; otherwise, the response to inviteMember has it */
            mailed: boolean;
            /** @description What they would be */
            role: components["schemas"]["Role"];
        };
        /** @description Where a user is signed in. */
        Sessions: {
            /** @description How long a session that is ended can still make requests, until its last access token expires; 0: not at all */
            accessEndsWithinSeconds: number;
            /** @description Whether this installation tells sessions apart; if not, the list is empty, and signOutEverywhere ends all */
            canList: boolean;
            /** @description Those used last first */
            sessions: {
                /** @description The browser and its system, in words; null if unknown */
                agent: string | null;
                /** Format: date-time */
                begunAt: string;
                /** @enum {string} */
                client: "dashboard" | "command_line";
                /** @description Whether it is the session of this request */
                current: boolean;
                /** @description Not a secret */
                sessionId: string;
                /**
                 * Format: date-time
                 * @description When it was last renewed: within ten minutes of its last request
                 */
                usedAt: string;
            }[];
        };
        /** @description A deployment whose files are being sent. */
        Upload: {
            bytes: number;
            /** @description Id of the deployment */
            deploymentId: string;
            /**
             * Format: date-time
             * @description What is not published until then is deleted
             */
            expiresAt: string;
            files: number;
        };
        UploadInput: {
            files: {
                bytes: number;
                /** @description Relative path with / between segments; the page of a folder is index.html */
                name: string;
                /** @description Digest of the content */
                sha256: string;
            }[];
        };
        /** @description Requests that send missing files. A file may have several: send it to each. */
        UploadTargets: {
            /** @description For the parameter `after`; null on the last page */
            next: string | null;
            targets: {
                /** @description Send exactly these */
                headers: {
                    [key: string]: string;
                };
                /** @description The file to send */
                name: string;
                /** @description Send the content with PUT. A path is one of this service and takes the access token; don't send the token to any other host */
                url: string;
            }[];
        };
        /** @description An account's quota usage. */
        Usage: {
            /** @description Id of the account */
            accountId: string;
            bans: {
                /** @description Id of the key, not the key itself */
                keyId: string;
                level: number;
                /** Format: date-time */
                until: string;
            }[];
            day: components["schemas"]["UsageWindow"];
            /** @description Oldest first; the last entry of each is the current window */
            history: {
                /** @description The last 30 days, by UTC day */
                days: components["schemas"]["PastWindow"][];
                /** @description The last 24 hours, by UTC hour */
                hours: components["schemas"]["PastWindow"][];
                /** @description The last hour, by UTC minute */
                minutes: components["schemas"]["PastWindow"][];
            };
            minute: components["schemas"]["UsageWindow"];
            plan: components["schemas"]["PlanName"];
        };
        /** @description Usage of one window: a UTC minute or a UTC day. */
        UsageWindow: {
            limit: number;
            remaining: number;
            /** Format: date-time */
            resetAt: string;
            used: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The accounts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"][];
                };
            };
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountInput"];
            };
        };
        responses: {
            /** @description The new account. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountDetail"];
                };
            };
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /**
                 * @description Where the page starts: taken from the `Link` header of the previous page
                 * @example aud_mmb4q7k000000h3Kd9Z
                 */
                cursor?: string;
                /**
                 * @description Items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description Entries from then on
                 * @example 2026-03-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Entries before then
                 * @example 2026-03-04T00:00:00Z
                 */
                until?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries, the latest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The open invitations, without their links. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationInput"];
            };
        };
        responses: {
            /** @description The invitation. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentInvitation"];
                };
            };
        };
    };
    withdrawInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
                /**
                 * @description Id of the invitation.
                 * @example inv_8sK2mPq4ZtR4tY6uI8oP0a
                 */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation is withdrawn. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"][];
                };
            };
        };
    };
    issueKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyInput"];
            };
        };
        responses: {
            /** @description The new key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
                /**
                 * @description Id of the key.
                 * @example key_8sK2mPq4ZtfL0aPz81YcQe
                 */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
                /**
                 * @description Id of the key.
                 * @example key_8sK2mPq4ZtfL0aPz81YcQe
                 */
                keyId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotationInput"];
            };
        };
        responses: {
            /** @description The new key, and when the old one stops working. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedKey"];
                };
            };
        };
    };
    unbanKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
                /**
                 * @description Id of the key.
                 * @example key_8sK2mPq4ZtfL0aPz81YcQe
                 */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"][];
                };
            };
        };
    };
    changeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
                /**
                 * @description Id of the user.
                 * @example usr_Jd83hsPq0aXw6TfN
                 */
                userId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberInput"];
            };
        };
        responses: {
            /** @description The member, with the new role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
                /**
                 * @description Id of the user.
                 * @example usr_Jd83hsPq0aXw6TfN
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is no longer a member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    requestPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanRequestInput"];
            };
        };
        responses: {
            /** @description The account, with the request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    withdrawPlanRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account, without a request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /**
                 * @description Where the page starts: taken from the `Link` header of the previous page
                 * @example mibx8zo0.prj_4Hq0Zt8wY2
                 */
                cursor?: string;
                /**
                 * @description Items per page; without it and without a cursor, the whole list
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The projects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"][];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectInput"];
            };
        };
        responses: {
            /** @description The new project. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    listRevokedKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revoked keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedKey"][];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example acc_8sK2mPq4Zt
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationTokenInput"];
            };
        };
        responses: {
            /** @description The account, with the user's role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    viewInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationTokenInput"];
            };
        };
        responses: {
            /** @description The invitation, and whether this user can accept it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceivedInvitation"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    getNotificationSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSettings"];
                };
            };
        };
    };
    updateNotificationSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationSettingsInput"];
            };
        };
        responses: {
            /** @description The stored settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSettings"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sessions"];
                };
            };
        };
    };
    endSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndSessionsInput"];
            };
        };
        responses: {
            /** @description The sessions have ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    signOutEverywhere: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All sessions have ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    renameProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectInput"];
            };
        };
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    deleteProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    getConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configuration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectConfiguration"];
                };
            };
        };
    };
    putConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectConfigurationInput"];
            };
        };
        responses: {
            /** @description The stored configuration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectConfiguration"];
                };
            };
        };
    };
    listDeployTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens, without their texts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeployToken"][];
                };
            };
        };
    };
    createDeployToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeployTokenInput"];
            };
        };
        responses: {
            /** @description The new token; its text is shown only here. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedDeployToken"];
                };
            };
        };
    };
    revokeDeployToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
                /**
                 * @description Id of the deploy token.
                 * @example tok_x7Rb2Lq9VdQe81YcPaz0Wk
                 */
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token is revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    listDeployments: {
        parameters: {
            query?: {
                /**
                 * @description Where the page starts: taken from the `Link` header of the previous page
                 * @example mibx8zo0.prj_4Hq0Zt8wY2
                 */
                cursor?: string;
                /**
                 * @description Items per page; without it and without a cursor, the whole list
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployments. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"][];
                };
            };
        };
    };
    deleteDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the deployment.
                 * @example dpl_h4Tz9Gm1Sf
                 */
                deploymentId: string;
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    pinDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the deployment.
                 * @example dpl_h4Tz9Gm1Sf
                 */
                deploymentId: string;
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"];
                };
            };
        };
    };
    unpinDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the deployment.
                 * @example dpl_h4Tz9Gm1Sf
                 */
                deploymentId: string;
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"];
                };
            };
        };
    };
    listDomains: {
        parameters: {
            query?: {
                /**
                 * @description Where the page starts: taken from the `Link` header of the previous page
                 * @example mibx8zo0.prj_4Hq0Zt8wY2
                 */
                cursor?: string;
                /**
                 * @description Items per page; without it and without a cursor, the whole list
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domains. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"][];
                };
            };
        };
    };
    addDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainInput"];
            };
        };
        responses: {
            /** @description The new domain, in the state `awaiting_dns`. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the domain.
                 * @example dom_p3Wn5Yc8Ke
                 */
                domainId: string;
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    removeDomain: {
        parameters: {
            query?: {
                /**
                 * @description Even if it is the primary domain or the target of redirects: these settings are removed too
                 * @example true
                 */
                withRedirects?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the domain.
                 * @example dom_p3Wn5Yc8Ke
                 */
                domainId: string;
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain, in the state `removing` or `removed`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    publishRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the domain.
                 * @example dom_p3Wn5Yc8Ke
                 */
                domainId: string;
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain. Its records are set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    verifyDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the domain.
                 * @example dom_p3Wn5Yc8Ke
                 */
                domainId: string;
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    rollBack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RollBackInput"];
            };
        };
        responses: {
            /** @description The project, with its current deployment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    beginUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadInput"];
            };
        };
        responses: {
            /** @description The upload. It is deleted unless it is published within 24 hours. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
        };
    };
    listUploadTargets: {
        parameters: {
            query?: {
                /**
                 * @description `next` of the page before; if omitted, the first page
                 * @example 200
                 */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the deployment.
                 * @example dpl_h4Tz9Gm1Sf
                 */
                deploymentId: string;
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Requests to send, and the next page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadTargets"];
                };
            };
        };
    };
    cancelUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the deployment.
                 * @example dpl_h4Tz9Gm1Sf
                 */
                deploymentId: string;
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload is canceled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    publishUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the deployment.
                 * @example dpl_h4Tz9Gm1Sf
                 */
                deploymentId: string;
                /**
                 * @description Id of the project.
                 * @example prj_x7Rb2Lq9Vd
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"];
                };
            };
        };
    };
    listSandboxRecords: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxRecord"][];
                };
            };
        };
    };
    setSandboxRecord: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxRecordInput"];
            };
        };
        responses: {
            /** @description The stored record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxRecord"];
                };
            };
        };
    };
    unsetSandboxRecord: {
        parameters: {
            query: {
                /**
                 * @description As in the list
                 * @example www.my-shop.test
                 */
                name: string;
                /**
                 * @description The type of the record.
                 * @example CNAME
                 */
                type: "A" | "AAAA" | "CNAME" | "TXT" | "CAA" | "ALIAS";
                /**
                 * @description As in a zone file: an address, a name, a text, or flags, tag and value of a CAA record
                 * @example k7mzq2v8r4xw5tnb.edge.petstore.test
                 */
                value: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record is removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
}

/** The operations, with their documentation. */
export interface ControlOperations {
    /**
     * Accepts the invitation of a link: the user becomes a member of the account. Works once. The user's verified address must be the invited one: others get 403. A member keeps their role, and gets 409; the invitation ends.
     *
     * @example await control.acceptInvitation({ body: { token: 'petstore_invite_8sK2mPq4ZtR4tY6uI8oP0aThisOneIsAnExample000000000000000001' } });
     */
    acceptInvitation: operations["acceptInvitation"];
    /**
     * Adds a domain; the response has the records to set. Set the records in the response at your DNS provider, then verify. Requires a paid plan (Pro or above) and a deployment; without them, returns 409.
     *
     * @example await control.addDomain({ path: { projectId: 'prj_x7Rb2Lq9Vd' }, body: { host: 'www.my-shop.test' } });
     */
    addDomain: operations["addDomain"];
    /**
     * Begins a deployment: announces its files. Announces the files of a new deployment, with sizes and digests. Then send the files (`listUploadTargets`) and publish them. The plan limits their number and size. A project has at most 10 uploads that are not published, and deployments of 20 times the size that the plan allows for one; beyond these limits, returns 409.
     *
     * @example await control.beginUpload({ path: { projectId: 'prj_x7Rb2Lq9Vd' }, body: { files: [{ name: 'index.html', bytes: 5, sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824' }] } });
     */
    beginUpload: operations["beginUpload"];
    /**
     * Cancels an upload. Its files are removed soon after, and it no longer counts among the uploads of the project.
     *
     * @example await control.cancelUpload({ path: { projectId: 'prj_x7Rb2Lq9Vd', deploymentId: 'dpl_h4Tz9Gm1Sf' } });
     */
    cancelUpload: operations["cancelUpload"];
    /**
     * Changes a member's role. The last owner stays one. Requires the role owner; owners may also step down themselves. To hand an account over, make another member an owner, then step down. The last owner stays one: 409.
     *
     * @example await control.changeMember({ path: { accountId: 'acc_8sK2mPq4Zt', userId: 'usr_Jd83hsPq0aXw6TfN' }, body: { role: 'owner' } });
     */
    changeMember: operations["changeMember"];
    /**
     * Creates an account on the Free plan, with the user as its owner. Creates an account on the Free plan; an operator changes the plan. A user who is already a member of 5 accounts gets 409.
     *
     * @example await control.createAccount({ body: { name: 'My shop' } });
     */
    createAccount: operations["createAccount"];
    /**
     * Creates a deploy token; its text is only in this response. A pipeline sends the token as a bearer token to the paths below `/deploy/v1/`: there it can publish the project's files, list deployments and make an earlier one current, and nothing else. A project has up to 10 tokens; at the limit, returns 409.
     *
     * @example await control.createDeployToken({ path: { projectId: 'prj_x7Rb2Lq9Vd' }, body: { name: 'CI', expiresInDays: 90 } });
     */
    createDeployToken: operations["createDeployToken"];
    /**
     * Creates a project, which serves the API reference until its first deployment. Publish its files with an upload. The plan limits the number of projects; at the limit, returns 409.
     *
     * @example await control.createProject({ path: { accountId: 'acc_8sK2mPq4Zt' }, body: { name: 'Shop' } });
     */
    createProject: operations["createProject"];
    /**
     * Deletes an account without projects, with its keys, usage, members and invitations. Its keys are refused at once. Its usage, members, invitations and sandbox records are deleted with it; its entries in the audit log stay for 400 days. While it has projects, returns 409: delete them first.
     *
     * @example await control.deleteAccount({ path: { accountId: 'acc_8sK2mPq4Zt' } });
     */
    deleteAccount: operations["deleteAccount"];
    /**
     * Deletes a deployment that is neither current nor pinned. It can no longer be made current, and its files are removed. For the current deployment and for a pinned one, returns 409.
     *
     * @example await control.deleteDeployment({ path: { projectId: 'prj_x7Rb2Lq9Vd', deploymentId: 'dpl_h4Tz9Gm1Sf' } });
     */
    deleteDeployment: operations["deleteDeployment"];
    /**
     * Deletes a project without domains, and its deployments. Its deployments are deleted with it. While it has domains, returns 409: remove them first.
     *
     * @example await control.deleteProject({ path: { projectId: 'prj_x7Rb2Lq9Vd' } });
     */
    deleteProject: operations["deleteProject"];
    /**
     * Ends one of the user's sessions, or all but this one. Takes effect at once. A browser ends together with the command lines that were signed in with it. Where sessions can’t be listed, returns 404: use signOutEverywhere.
     *
     * @example await control.endSessions({ body: { sessionId: 'g4Xk0pV2bQ8sT6uY1wZ3cR5eF7hJ9mN0aB2dL4iO6kE' } });
     */
    endSessions: operations["endSessions"];
    /**
     * An account. One of the user's accounts, with its plan, its limits, and how many projects and custom domains it has.
     *
     * @example await control.getAccount({ path: { accountId: 'acc_8sK2mPq4Zt' } });
     */
    getAccount: operations["getAccount"];
    /**
     * The primary domain and the redirects. The project's primary domain and its redirects.
     *
     * @example await control.getConfiguration({ path: { projectId: 'prj_x7Rb2Lq9Vd' } });
     */
    getConfiguration: operations["getConfiguration"];
    /**
     * A domain. While a domain changes automatically, `nextCheckAt` is when to fetch it again.
     *
     * @example await control.getDomain({ path: { projectId: 'prj_x7Rb2Lq9Vd', domainId: 'dom_p3Wn5Yc8Ke' } });
     */
    getDomain: operations["getDomain"];
    /**
     * The signed-in user, their accounts, and the platform. The token's user, the accounts they are a member of, and the platform's names, port and plans.
     *
     * @example await control.getMe();
     */
    getMe: operations["getMe"];
    /**
     * Which emails the user gets. A user who has not chosen gets all kinds, also those that are added later. Emails are sent to the members of an account.
     *
     * @example await control.getNotificationSettings();
     */
    getNotificationSettings: operations["getNotificationSettings"];
    /**
     * This document. The OpenAPI document of this API. Needs no token.
     *
     * @example await control.getOpenApi();
     */
    getOpenApi: operations["getOpenApi"];
    /**
     * A project, with the target that its domains point to.
     *
     * @example await control.getProject({ path: { projectId: 'prj_x7Rb2Lq9Vd' } });
     */
    getProject: operations["getProject"];
    /**
     * An account's quota usage; does not count as a request. Usage of the current minute and day, the last hour by minute, the last day by hour, the last 30 days by day, and the bans in force. This request uses up no quota.
     *
     * @example await control.getUsage({ path: { accountId: 'acc_8sK2mPq4Zt' } });
     */
    getUsage: operations["getUsage"];
    /**
     * Invites an email address to the account. Requires the role owner. The address gets an email with a link; if the installation sends no emails, the link is in the response, to be handed over. Inviting an address again replaces its invitation, whose links end. An account has up to 20 open invitations (409). In a UTC day, up to 30 are sent for an account, and up to 30 by a user (429).
     *
     * @example await control.inviteMember({ path: { accountId: 'acc_8sK2mPq4Zt' }, body: { email: 'ben@example.com', role: 'member' } });
     */
    inviteMember: operations["inviteMember"];
    /**
     * Issues an API key; its text is only in this response. The key's text is only in this response: it is not stored. An account that already has 10 keys gets 409.
     *
     * @example await control.issueKey({ path: { accountId: 'acc_8sK2mPq4Zt' }, body: { name: 'laptop', scopes: ['pets:read', 'pets:write'], expiresInDays: 90 } });
     */
    issueKey: operations["issueKey"];
    /**
     * The accounts the user is a member of, oldest first.
     *
     * @example await control.listAccounts();
     */
    listAccounts: operations["listAccounts"];
    /**
     * What was changed in the account, when, by whom and from where, the latest first. Changes of the last 400 days: of keys, members, invitations, plans, projects, deployments, deploy tokens and domains, by users, pipelines, the operator and the service itself. Requests to the catalogue API are not in it. `details` has facts such as the role of a new member. For an export, follow the `Link` headers.
     *
     * @example await control.listAuditEntries({ path: { accountId: 'acc_8sK2mPq4Zt' } });
     */
    listAuditEntries: operations["listAuditEntries"];
    /**
     * Deploy tokens, without their texts. Oldest first. An expired token is listed for 30 days at least.
     *
     * @example await control.listDeployTokens({ path: { projectId: 'prj_x7Rb2Lq9Vd' } });
     */
    listDeployTokens: operations["listDeployTokens"];
    /**
     * Deployments, newest first. The 1000 newest deployments, newest first, and which of them is current. The last 10 that were served, with the current one among them, and pinned ones are kept; older ones are deleted when another one is published.
     *
     * @example await control.listDeployments({ path: { projectId: 'prj_x7Rb2Lq9Vd' } });
     */
    listDeployments: operations["listDeployments"];
    /**
     * Domains, oldest first. The project's domains, oldest first, each with its state and advice.
     *
     * @example await control.listDomains({ path: { projectId: 'prj_x7Rb2Lq9Vd' } });
     */
    listDomains: operations["listDomains"];
    /**
     * The invitations to the account that are open. Oldest first. Requires the role owner. An invitation is open for seven days, until it is accepted, withdrawn or replaced, or who invited is no longer an owner.
     *
     * @example await control.listInvitations({ path: { accountId: 'acc_8sK2mPq4Zt' } });
     */
    listInvitations: operations["listInvitations"];
    /**
     * API keys, without their texts. The account's keys, oldest first, each with its state and last use. Keys that have expired are listed for 90 days. Revoked keys: listRevokedKeys.
     *
     * @example await control.listKeys({ path: { accountId: 'acc_8sK2mPq4Zt' } });
     */
    listKeys: operations["listKeys"];
    /**
     * The users who may act for the account. An owner may do everything. A member works with projects, domains, keys and deployments, but does not change who belongs to the account, nor delete projects. Owners invite members; an operator can add them directly.
     *
     * @example await control.listMembers({ path: { accountId: 'acc_8sK2mPq4Zt' } });
     */
    listMembers: operations["listMembers"];
    /**
     * Projects, oldest first. The account's projects, oldest first.
     *
     * @example await control.listProjects({ path: { accountId: 'acc_8sK2mPq4Zt' } });
     */
    listProjects: operations["listProjects"];
    /**
     * API keys revoked within the last 90 days, the latest first. For 90 days, who revoked a key, and when. At most 100 keys.
     *
     * @example await control.listRevokedKeys({ path: { accountId: 'acc_8sK2mPq4Zt' } });
     */
    listRevokedKeys: operations["listRevokedKeys"];
    /**
     * The sandbox records set by the user's accounts or the operator, if the platform has a sandbox. Other accounts' records are not shown. Without a sandbox, returns 404.
     *
     * @example await control.listSandboxRecords();
     */
    listSandboxRecords: operations["listSandboxRecords"];
    /**
     * Where the user is signed in. Browsers and command lines that can renew their access. Cognito does not tell sessions apart: on AWS the list is empty.
     *
     * @example await control.listSessions();
     */
    listSessions: operations["listSessions"];
    /**
     * A page of requests that send the files that are missing. Lists only files that are not stored yet, so an upload that was interrupted continues here. Send each file with PUT to its `url` with its `headers`; several at a time are fine. Content other than announced is refused. A `url` is valid for an hour.
     *
     * @example await control.listUploadTargets({ path: { projectId: 'prj_x7Rb2Lq9Vd', deploymentId: 'dpl_h4Tz9Gm1Sf' } });
     */
    listUploadTargets: operations["listUploadTargets"];
    /**
     * Pins a deployment: it is kept until it is unpinned. Of the others, the 10 that were served last are kept. A project has up to 10 pinned deployments; at the limit, returns 409.
     *
     * @example await control.pinDeployment({ path: { projectId: 'prj_x7Rb2Lq9Vd', deploymentId: 'dpl_h4Tz9Gm1Sf' } });
     */
    pinDeployment: operations["pinDeployment"];
    /**
     * Sets the domain's records, if the platform runs their zone. If the platform does not manage the zone, returns 409: set the records at your DNS provider.
     *
     * @example await control.publishRecords({ path: { projectId: 'prj_x7Rb2Lq9Vd', domainId: 'dom_p3Wn5Yc8Ke' } });
     */
    publishRecords: operations["publishRecords"];
    /**
     * Makes the deployment current, once all of its files are stored. All files are served from the next request on, together. While files are missing, returns 409. Safe to repeat.
     *
     * @example await control.publishUpload({ path: { projectId: 'prj_x7Rb2Lq9Vd', deploymentId: 'dpl_h4Tz9Gm1Sf' } });
     */
    publishUpload: operations["publishUpload"];
    /**
     * Replaces the configuration. All names must be domains of the project; the primary domain and all redirect targets must be live. Redirects must not form a loop. An invalid configuration is refused as a whole with 400; the message has a line for each fault, by its path, such as `domains.redirects[0].to`.
     *
     * @example await control.putConfiguration({ path: { projectId: 'prj_x7Rb2Lq9Vd' }, body: { domains: { primary: 'www.my-shop.test', redirects: [{ from: 'my-shop.test', to: 'www.my-shop.test', status: 301 }] } } });
     */
    putConfiguration: operations["putConfiguration"];
    /**
     * Stops serving the domain at once and deletes what was made for it. Traffic has stopped when the response arrives. Removing the primary domain or the target of a redirect requires `withRedirects`; without it, returns 409.
     *
     * @example await control.removeDomain({ path: { projectId: 'prj_x7Rb2Lq9Vd', domainId: 'dom_p3Wn5Yc8Ke' } });
     */
    removeDomain: operations["removeDomain"];
    /**
     * Removes a member from the account. The last owner stays. Takes effect at once. Requires the role owner; members may remove themselves. Removing the last owner of an account returns 409.
     *
     * @example await control.removeMember({ path: { accountId: 'acc_8sK2mPq4Zt', userId: 'usr_Jd83hsPq0aXw6TfN' } });
     */
    removeMember: operations["removeMember"];
    /**
     * Gives a project another display name. Only the name changes; the id and the target stay.
     *
     * @example await control.renameProject({ path: { projectId: 'prj_x7Rb2Lq9Vd' }, body: { name: 'Shop' } });
     */
    renameProject: operations["renameProject"];
    /**
     * Asks the operator for another plan; replaces an earlier request. The operator sees the request, and approves or declines it; members get an email, if the installation sends any. Asking for the plan that the account is on returns 409.
     *
     * @example await control.requestPlan({ path: { accountId: 'acc_8sK2mPq4Zt' }, body: { plan: 'business', note: 'We open a second shop in May' } });
     */
    requestPlan: operations["requestPlan"];
    /**
     * Revokes a deploy token at once. The token is refused from now on. This can't be undone.
     *
     * @example await control.revokeDeployToken({ path: { projectId: 'prj_x7Rb2Lq9Vd', tokenId: 'tok_x7Rb2Lq9VdQe81YcPaz0Wk' } });
     */
    revokeDeployToken: operations["revokeDeployToken"];
    /**
     * Revokes a key at once. The key is refused from now on. This can't be undone.
     *
     * @example await control.revokeKey({ path: { accountId: 'acc_8sK2mPq4Zt', keyId: 'key_8sK2mPq4ZtfL0aPz81YcQe' } });
     */
    revokeKey: operations["revokeKey"];
    /**
     * Makes an earlier deployment current: the given one, or the one before the current. Takes effect with the next request. Without an earlier deployment, returns 409.
     *
     * @example await control.rollBack({ path: { projectId: 'prj_x7Rb2Lq9Vd' }, body: { deploymentId: 'dpl_B6vN0kXr3J' } });
     */
    rollBack: operations["rollBack"];
    /**
     * Issues a successor, and ends the key after a grace period. Issues a key with the same name and scopes. Both work until the grace period ends. If the old key is banned, the new key inherits the ban.
     *
     * @example await control.rotateKey({ path: { accountId: 'acc_8sK2mPq4Zt', keyId: 'key_8sK2mPq4ZtfL0aPz81YcQe' }, body: { graceSeconds: 86400 } });
     */
    rotateKey: operations["rotateKey"];
    /**
     * Sets a sandbox record, as at a DNS provider, and replaces those with the same name and type. Setting a name that belongs to another account gets 409, as does adding a 201st record. Without a sandbox, returns 404.
     *
     * @example await control.setSandboxRecord({ body: { name: 'www.my-shop.test', type: 'CNAME', value: 'k7mzq2v8r4xw5tnb.edge.petstore.test' } });
     */
    setSandboxRecord: operations["setSandboxRecord"];
    /**
     * Ends all of the user's sessions at once, including this one. No session can be renewed any more. Access tokens that were issued before are refused at once; on AWS, they work until they expire, ten minutes at most.
     *
     * @example await control.signOutEverywhere();
     */
    signOutEverywhere: operations["signOutEverywhere"];
    /**
     * Lifts a key's ban; takes effect within a minute. The next ban is still longer. Takes effect within a minute. Wait that long before you send requests with the key, or it is banned again, for longer. If the key is not banned, returns 409.
     *
     * @example await control.unbanKey({ path: { accountId: 'acc_8sK2mPq4Zt', keyId: 'key_8sK2mPq4ZtfL0aPz81YcQe' } });
     */
    unbanKey: operations["unbanKey"];
    /**
     * Unpins a deployment. With the next publication, it is deleted unless it is current or one of the 10 that were served last.
     *
     * @example await control.unpinDeployment({ path: { projectId: 'prj_x7Rb2Lq9Vd', deploymentId: 'dpl_h4Tz9Gm1Sf' } });
     */
    unpinDeployment: operations["unpinDeployment"];
    /**
     * Removes a sandbox record. Name, type and value as in the list. Without a sandbox, returns 404.
     *
     * @example await control.unsetSandboxRecord({ query: { name: 'www.my-shop.test', type: 'CNAME', value: 'k7mzq2v8r4xw5tnb.edge.petstore.test' } });
     */
    unsetSandboxRecord: operations["unsetSandboxRecord"];
    /**
     * Chooses which emails the user gets. Holds for all accounts of the user, and for no other member.
     *
     * @example await control.updateNotificationSettings({ body: { kinds: ['domain_failed', 'domain_lost', 'key_banned'] } });
     */
    updateNotificationSettings: operations["updateNotificationSettings"];
    /**
     * Verify: checks the DNS now; the rest follows automatically. Returns at once. Before the domain is live, usually in the state `verifying`: once the DNS is right, the certificate is issued and the domain goes live. A served domain keeps its state, and its record is checked; a domain whose certificate is being issued is returned as it is. What fails is tried again automatically, so one call is enough. At most 6 times a minute for a domain and 30 for an account; beyond that, returns 429.
     *
     * @example await control.verifyDomain({ path: { projectId: 'prj_x7Rb2Lq9Vd', domainId: 'dom_p3Wn5Yc8Ke' } });
     */
    verifyDomain: operations["verifyDomain"];
    /**
     * The invitation of a link. For the signed-in user who has the link. All links that can’t be used get the same 404: expired, withdrawn, replaced or accepted ones, and junk.
     *
     * @example await control.viewInvitation({ body: { token: 'petstore_invite_8sK2mPq4ZtR4tY6uI8oP0aThisOneIsAnExample000000000000000001' } });
     */
    viewInvitation: operations["viewInvitation"];
    /**
     * Withdraws an invitation. Its links end at once. Requires the role owner.
     *
     * @example await control.withdrawInvitation({ path: { accountId: 'acc_8sK2mPq4Zt', invitationId: 'inv_8sK2mPq4ZtR4tY6uI8oP0a' } });
     */
    withdrawInvitation: operations["withdrawInvitation"];
    /**
     * Takes the request for a plan back, or puts a decided one away. Without a request, returns 404.
     *
     * @example await control.withdrawPlanRequest({ path: { accountId: 'acc_8sK2mPq4Zt' } });
     */
    withdrawPlanRequest: operations["withdrawPlanRequest"];
}

/** Methods and paths, without the prefix. */
export const CALLS: Readonly<Record<keyof ControlOperations, string>> = {
    acceptInvitation: "POST /invitations/accept",
    addDomain: "POST /projects/{projectId}/domains",
    beginUpload: "POST /projects/{projectId}/uploads",
    cancelUpload: "DELETE /projects/{projectId}/uploads/{deploymentId}",
    changeMember: "PUT /accounts/{accountId}/members/{userId}",
    createAccount: "POST /accounts",
    createDeployToken: "POST /projects/{projectId}/deploy-tokens",
    createProject: "POST /accounts/{accountId}/projects",
    deleteAccount: "DELETE /accounts/{accountId}",
    deleteDeployment: "DELETE /projects/{projectId}/deployments/{deploymentId}",
    deleteProject: "DELETE /projects/{projectId}",
    endSessions: "POST /me/sessions/end",
    getAccount: "GET /accounts/{accountId}",
    getConfiguration: "GET /projects/{projectId}/configuration",
    getDomain: "GET /projects/{projectId}/domains/{domainId}",
    getMe: "GET /me",
    getNotificationSettings: "GET /me/notifications",
    getOpenApi: "GET /openapi.json",
    getProject: "GET /projects/{projectId}",
    getUsage: "GET /accounts/{accountId}/usage",
    inviteMember: "POST /accounts/{accountId}/invitations",
    issueKey: "POST /accounts/{accountId}/keys",
    listAccounts: "GET /accounts",
    listAuditEntries: "GET /accounts/{accountId}/audit",
    listDeployTokens: "GET /projects/{projectId}/deploy-tokens",
    listDeployments: "GET /projects/{projectId}/deployments",
    listDomains: "GET /projects/{projectId}/domains",
    listInvitations: "GET /accounts/{accountId}/invitations",
    listKeys: "GET /accounts/{accountId}/keys",
    listMembers: "GET /accounts/{accountId}/members",
    listProjects: "GET /accounts/{accountId}/projects",
    listRevokedKeys: "GET /accounts/{accountId}/revoked-keys",
    listSandboxRecords: "GET /sandbox/records",
    listSessions: "GET /me/sessions",
    listUploadTargets: "GET /projects/{projectId}/uploads/{deploymentId}",
    pinDeployment: "PUT /projects/{projectId}/deployments/{deploymentId}/pin",
    publishRecords: "POST /projects/{projectId}/domains/{domainId}/publish",
    publishUpload: "POST /projects/{projectId}/uploads/{deploymentId}/publish",
    putConfiguration: "PUT /projects/{projectId}/configuration",
    removeDomain: "DELETE /projects/{projectId}/domains/{domainId}",
    removeMember: "DELETE /accounts/{accountId}/members/{userId}",
    renameProject: "PUT /projects/{projectId}",
    requestPlan: "PUT /accounts/{accountId}/plan-request",
    revokeDeployToken: "DELETE /projects/{projectId}/deploy-tokens/{tokenId}",
    revokeKey: "DELETE /accounts/{accountId}/keys/{keyId}",
    rollBack: "POST /projects/{projectId}/rollback",
    rotateKey: "POST /accounts/{accountId}/keys/{keyId}/rotate",
    setSandboxRecord: "PUT /sandbox/records",
    signOutEverywhere: "POST /me/sign-out",
    unbanKey: "POST /accounts/{accountId}/keys/{keyId}/unban",
    unpinDeployment: "DELETE /projects/{projectId}/deployments/{deploymentId}/pin",
    unsetSandboxRecord: "DELETE /sandbox/records",
    updateNotificationSettings: "PUT /me/notifications",
    verifyDomain: "POST /projects/{projectId}/domains/{domainId}/verify",
    viewInvitation: "POST /invitations/view",
    withdrawInvitation: "DELETE /accounts/{accountId}/invitations/{invitationId}",
    withdrawPlanRequest: "DELETE /accounts/{accountId}/plan-request",
};

/** Operations that create something, and take an Idempotency-Key. */
export const CREATING = ["addDomain", "beginUpload", "createAccount", "createDeployToken", "createProject", "inviteMember", "issueKey", "rotateKey"] as const;

/** Operations that change what can be read, and take an If-Match. */
export const CONDITIONAL = ["addDomain", "cancelUpload", "createAccount", "createDeployToken", "createProject", "deleteAccount", "deleteProject", "inviteMember", "issueKey", "publishRecords", "putConfiguration", "removeDomain", "renameProject", "rollBack", "setSandboxRecord", "unsetSandboxRecord", "updateNotificationSettings", "verifyDomain"] as const;

/** Operations whose lists come in pages. */
export const PAGED = ["listAuditEntries", "listDeployments", "listDomains", "listProjects"] as const;

/** Operations that a deploy token allows. */
export const DEPLOYING = ["beginUpload", "cancelUpload", "getProject", "listDeployments", "listUploadTargets", "publishUpload", "rollBack"] as const;
