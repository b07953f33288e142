// Generated from the OpenAPI document by client/generate.ts. Do not edit: run `npm run generate`.

export interface paths {
    "/dashboard/v1/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The accounts that the user is a member of.
         * @description The accounts that the user is a member of, oldest first.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Makes an account on the plan Free, with the user as its member.
         * @description Makes an account on the plan Free; an operator changes the plan. A user may be a member of 5 accounts; then it answers 409.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/accounts/{accountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An account.
         * @description An account of the user, with its plan and its limits.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/accounts/{accountId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * API keys, without their texts.
         * @description The keys of an account, oldest first, with the state and the last use of each.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Issues an API key; its text is in this answer alone.
         * @description The text of the key is in this answer and nowhere else: it is not stored. An account may have 10 keys; then it answers 409.
         */
        post: operations["issueKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/accounts/{accountId}/keys/{keyId}": {
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
         * Stops a key at once.
         * @description The key is refused from now on. It can not be taken back.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/accounts/{accountId}/keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issues a successor, and lets the key end after a grace period.
         * @description Issues a key with the same name and scopes. Both work until the grace period ends. The new key inherits a ban of the old one.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/accounts/{accountId}/keys/{keyId}/unban": {
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
         * @description Takes effect within a minute. Wait that long before sending with the key, or it is banned again, for longer. A key that is not banned: 409.
         */
        post: operations["unbanKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/accounts/{accountId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The users who may act for the account.
         * @description All members may do the same. Members are added by an operator.
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
    "/dashboard/v1/accounts/{accountId}/members/{userId}": {
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
         * No longer lets a user act for the account. The last member stays.
         * @description Takes effect at once. A member may remove themselves; the last member of an account is refused with 409.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/accounts/{accountId}/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Projects, oldest first.
         * @description The projects of an account, oldest first.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Makes a project, which serves the API reference until something is published.
         * @description Its files are published with the command line. The plan says how many projects an account may have; then it answers 409.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/accounts/{accountId}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An account's use of its quota; counts as no request.
         * @description The use of the minute and of the day, of the last minutes and days, and the bans in force. Looking costs no request of the quota.
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
    "/dashboard/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who is signed in, what they may act for, and where.
         * @description The user whose token it is, the accounts that they are a member of, and the names that the platform has.
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
    "/dashboard/v1/me/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends all of the user's sessions at once, this one too, where users are kept here.
         * @description From now on no token of the user counts, that of this request included. Where users are kept elsewhere, as on AWS, it answers 404.
         */
        post: operations["signOutEverywhere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document.
         * @description The OpenAPI document of this API. No token is needed.
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
    "/dashboard/v1/projects/{projectId}": {
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/projects/{projectId}/configuration": {
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
         * Takes the place of the configuration before.
         * @description All names must be domains of the project, redirects without cycles, to domains that are live. What does not fit is refused as a whole with 400; the message has a line for each fault, by its path, such as `domains.redirects[0].to`.
         */
        put: operations["putConfiguration"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/projects/{projectId}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deployments, newest first.
         * @description What was published, newest first, and which of it is served.
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
    "/dashboard/v1/projects/{projectId}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Domains, oldest first.
         * @description The domains of a project, oldest first, with the state and the advice of each.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Adds a domain; the answer has the records to set.
         * @description Set the records of the answer at the DNS provider, then verify. It takes a paid plan (Pro or above) and a deployment; without them it answers 409.
         */
        post: operations["addDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/projects/{projectId}/domains/{domainId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A domain.
         * @description While a domain moves by itself, `nextCheckAt` says when to look again.
         */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /**
         * Stops serving the domain at once, and takes down what was made for it.
         * @description Traffic stops before it answers. A domain that is the primary one, or the target of redirects, needs `withRedirects`; without it: 409.
         */
        delete: operations["removeDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/projects/{projectId}/domains/{domainId}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets the domain's records, where their zone is in our hands.
         * @description Where the zone is not in our hands it answers 409: set the records at the DNS provider.
         */
        post: operations["publishRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/projects/{projectId}/domains/{domainId}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify and Re-verify: checks the DNS now; what follows goes on by itself.
         * @description Answers at once, in the state `verifying`; the DNS is checked for up to 48 hours, then the certificate is issued and the domain goes live. At most 6 times a minute for a domain and 30 for an account; then it answers 429.
         */
        post: operations["verifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/projects/{projectId}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Serves an earlier deployment again: the one named, or the one before the current.
         * @description Takes effect with the next request of a visitor. Without an earlier deployment it answers 409.
         */
        post: operations["rollBack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/v1/sandbox/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The records of the sandbox's DNS that the user's accounts or the operator set, where there is a sandbox.
         * @description Records of others are not shown. Where there is no sandbox it answers 404.
         */
        get: operations["listSandboxRecords"];
        /**
         * Sets a record of the sandbox, as at a registrar, in the place of those of its name and type.
         * @description A name of another account is refused with 409, and so is the 201st record of an account. Where there is no sandbox it answers 404.
         */
        put: operations["setSandboxRecord"];
        post?: never;
        /**
         * Removes a record of the sandbox.
         * @description Name, type and value as they are listed. Where there is no sandbox it answers 404.
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
        /** @description An account: its keys share a quota, its members may do all that this API does. */
        Account: {
            /** @description Id of the account */
            accountId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Requests to the catalogue API: of all of the account's keys together */
            limits: {
                perDay: number;
                perMinute: number;
            };
            name: string;
            /** @enum {string} */
            plan: "free" | "pro" | "business" | "enterprise";
        };
        AccountInput: {
            /** @description For people: not blank, without control characters */
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
        AdviceCode: "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed" | "certificate_caa" | "certificate_validation" | "certificate_rate_limited" | "certificate_name_refused" | "certificate_timed_out" | "certificate_authority_unavailable" | "certificate_edge_not_ready" | "certificate_other" | "suspended_plan" | "suspended_no_deployment" | "suspended_account" | "awaiting_dns" | "checking_dns" | "certificate_pending" | "certificate_late" | "authority_silent" | "attaching" | "removing" | "taken_over";
        /** @description The files of a project as they were published once. */
        Deployment: {
            bytes: number;
            /** Format: date-time */
            createdAt: string;
            /** @description Is it the one that is served? */
            current: boolean;
            /** @description Id of the deployment */
            deploymentId: string;
            files: number;
        };
        /**
         * @description What is wrong with the DNS of a domain: docs/diagnoses.md.
         * @enum {string}
         */
        DiagnosisCode: "ok" | "ok_flattened" | "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed";
        /** @description A record to set at the domain's DNS provider. */
        DnsRecord: {
            /** @description The name as most registrars want it: without the registered domain, @ for that domain itself */
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
            /** @description What to do, and who must; null if nothing is waited for */
            advice: {
                actor: components["schemas"]["Actor"];
                code: components["schemas"]["AdviceCode"];
                /** @description What to do, in words */
                fix: string;
                /** @description What was found, in words */
                seen: string;
            } | null;
            /** @description Is Verify, or Re-verify, possible now? */
            canVerify: boolean;
            /** @description No certificate within 30 minutes: check the record and CAA records, then Re-verify */
            certificateLate: boolean;
            /** @description The certificate authority's words; in the state certificate_failed */
            detail?: string;
            /** @description What was seen of its DNS last */
            diagnosis: {
                actor: components["schemas"]["Actor"];
                code: components["schemas"]["DiagnosisCode"];
                /** @description What to do, in words */
                fix: string;
                /** @description What was found, in words */
                seen: string;
            } | null;
            /** @description Id of the domain */
            domainId: string;
            /**
             * @description Why there is no certificate; in the state certificate_failed
             * @enum {string}
             */
            failure?: "caa" | "validation" | "rate_limited" | "name_refused" | "timed_out" | "authority_unavailable" | "edge_not_ready" | "other";
            /** @description States that it went through; the present one is last */
            history: {
                /** Format: date-time */
                at: string;
                state: components["schemas"]["DomainState"];
            }[];
            /** @description Host name: lower case, in ASCII, without a dot at the end */
            host: string;
            /** @description Does it go on by itself, so that it is worth asking again soon? */
            inProgress: boolean;
            /**
             * Format: date-time
             * @description When it is looked at again by itself
             */
            nextCheckAt?: string;
            /** @description Id of the project */
            projectId: string;
            /**
             * @description Why it is not served; in the state suspended
             * @enum {string}
             */
            reason?: "plan" | "no_deployment" | "account";
            /** @description What has to stand in the DNS */
            records: components["schemas"]["DnsRecord"][];
            /** @description Do visitors get the project's pages there? */
            served: boolean;
            /**
             * Format: date-time
             * @description When it came into this state
             */
            since: string;
            state: components["schemas"]["DomainState"];
            /** @description The state in words */
            stateLabel: string;
        };
        DomainInput: {
            /** @description As its owner types it: any case, in Unicode or ASCII */
            host: string;
        };
        /**
         * @description How far a domain is: docs/domain-workflow.md.
         * @enum {string}
         */
        DomainState: "awaiting_dns" | "verifying" | "verified" | "certificate_pending" | "attaching" | "live" | "degraded" | "dns_failed" | "certificate_failed" | "suspended" | "removing" | "taken_over" | "removed";
        /** @description It is done; there is nothing more to say. */
        Done: {
            /** @constant */
            done: true;
        };
        /** @description The body of every error. */
        Error: {
            /**
             * @description Machine-readable error code.
             * @enum {string}
             */
            code: "invalid_request" | "unauthorized" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "idempotency_in_progress" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limit_exceeded" | "headers_too_large" | "internal_error" | "unavailable";
            /** @description What was given, what is allowed, what to do. */
            message: string;
            /** @description The HTTP status code. */
            status: number;
        };
        /** @description A new API key. */
        IssuedKey: {
            /** @description Null if no ban is in force */
            bannedUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Null if it does not expire */
            expiresAt: string | null;
            /** @description The key itself, only here and only now */
            key: string;
            /** @description Id of the key, not the key itself */
            keyId: string;
            /** @description To the minute; null if it has not been used */
            lastUsedAt: string | null;
            name: string;
            scopes: ("pets:read" | "pets:write")[];
            /** @enum {string} */
            state: "active" | "banned" | "expired";
        };
        /** @description An API key, without its text. */
        Key: {
            /** @description Null if no ban is in force */
            bannedUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Null if it does not expire */
            expiresAt: string | null;
            /** @description Id of the key, not the key itself */
            keyId: string;
            /** @description To the minute; null if it has not been used */
            lastUsedAt: string | null;
            name: string;
            scopes: ("pets:read" | "pets:write")[];
            /** @enum {string} */
            state: "active" | "banned" | "expired";
        };
        KeyInput: {
            /** @description Without it, the key does not expire */
            expiresInDays?: number;
            /** @description For people: not blank, without control characters */
            name: string;
            /**
             * @description What the key may do
             * @default [
             *       "pets:read",
             *       "pets:write"
             *     ]
             */
            scopes?: ("pets:read" | "pets:write")[];
        };
        /** @description Who is signed in, what they may act for, and where. */
        Me: {
            /** @description Those that the user may act for, oldest first */
            accounts: components["schemas"]["Account"][];
            /** @description Null where it is not known */
            email: string | null;
            platform: {
                /** @description The host that all projects' targets are below */
                edgeHost: string;
                /** @description Where domains are served */
                httpsPort: number;
                /** @description From the smallest to the largest */
                plans: components["schemas"]["Plan"][];
                /** @description The suffix of the sandbox's names; null where there is no sandbox */
                sandboxSuffix: string | null;
            };
            /** @description Id of the user */
            userId: string;
        };
        /** @description A user who may act for an account. */
        Member: {
            /** @description Null where users are kept elsewhere */
            email: string | null;
            /** @description Id of the user */
            userId: string;
        };
        /** @description What an account may have. */
        Plan: {
            /** @description Custom domains that an account may have; 0: the plan has none */
            domains: number;
            /** @description For people */
            label: string;
            /** @description Null where they are agreed account by account */
            limits: {
                perDay: number;
                perMinute: number;
            } | null;
            /** @enum {string} */
            plan: "free" | "pro" | "business" | "enterprise";
            /** @description Projects that an account may have */
            projects: number;
        };
        /** @description Files that are served on domains. */
        Project: {
            /** @description Id of the account */
            accountId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The deployment that is served */
            deploymentId: string | null;
            name: string;
            /** @description Id of the project */
            projectId: string;
            /** @description What the CNAME of its domains says */
            target: string;
        };
        /** @description A project's primary domain and redirects. */
        ProjectConfiguration: {
            domains: {
                /** @description The main domain of the project */
                primary?: string;
                redirects: {
                    /** @description Host name: lower case, in ASCII, without a dot at the end */
                    from: string;
                    /** @enum {number} */
                    status: 301 | 302 | 307 | 308;
                    /** @description Host name: lower case, in ASCII, without a dot at the end */
                    to: string;
                }[];
            };
        };
        ProjectConfigurationInput: {
            domains: {
                /** @description The main domain of the project: one of the project's domains */
                primary?: string;
                /** @default [] */
                redirects?: {
                    /** @description The old domain: one of the project's domains */
                    from: string;
                    /**
                     * @description Status of the redirect
                     * @default 301
                     * @enum {number}
                     */
                    status?: 301 | 302 | 307 | 308;
                    /** @description The target: a domain of the project that is live */
                    to: string;
                }[];
            };
        };
        ProjectInput: {
            /** @description For people: not blank, without control characters */
            name: string;
        };
        RollBackInput: {
            /** @description Without it, the one before the current */
            deploymentId?: string;
        };
        /** @description The successor of an API key. */
        RotatedKey: {
            /** @description Null if no ban is in force */
            bannedUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Null if it does not expire */
            expiresAt: string | null;
            /** @description The key itself, only here and only now */
            key: string;
            /** @description Id of the key, not the key itself */
            keyId: string;
            /** @description To the minute; null if it has not been used */
            lastUsedAt: string | null;
            name: string;
            /**
             * Format: date-time
             * @description Until then both keys work
             */
            oldExpiresAt: string;
            /** @description Id of the key, not the key itself */
            oldKeyId: string;
            scopes: ("pets:read" | "pets:write")[];
            /** @enum {string} */
            state: "active" | "banned" | "expired";
        };
        RotationInput: {
            /**
             * @description How long the old key goes on working
             * @default 86400
             */
            graceSeconds?: number;
        };
        /** @description A record of the sandbox's DNS. */
        SandboxRecord: {
            name: string;
            /** @description Seconds */
            ttl: number;
            /** @enum {string} */
            type: "A" | "AAAA" | "CNAME" | "TXT" | "CAA" | "ALIAS";
            value: string;
        };
        SandboxRecordInput: {
            /** @description Whose it is; without it, that of the user's oldest account */
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
        /** @description An account's use of its quota. */
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
            /** @description Oldest first; the last of each is the current one */
            history: {
                days: {
                    admitted: number;
                    /** @description Answered 429; told up to a minute later */
                    refused: number;
                    /** Format: date-time */
                    startsAt: string;
                }[];
                minutes: {
                    admitted: number;
                    /** Format: date-time */
                    startsAt: string;
                }[];
            };
            minute: components["schemas"]["UsageWindow"];
            /** @enum {string} */
            plan: "free" | "pro" | "business" | "enterprise";
        };
        /** @description The use of one window, a UTC minute or a UTC day. */
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
    headers: {
        /**
         * @description Methods that the path has, separated by commas.
         * @example GET, POST
         */
        Allow: string;
        /**
         * @description Nobody may keep the answer; of this document everybody may, and asks whether it has changed.
         * @example no-store
         */
        "Cache-Control": "no-store" | "no-cache";
        /**
         * @description Only where `Accept-Encoding` allows it: how the body is compressed.
         * @example br
         */
        "Content-Encoding": "br" | "gzip";
        /**
         * @description Validator of the body, for `If-None-Match`.
         * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
         */
        ETag: string;
        /**
         * @description `true` if the answer is that of an earlier request with the same Idempotency-Key; not sent otherwise.
         * @example true
         */
        "Idempotent-Replayed": "true";
        /**
         * @description Whole seconds to wait before the next request.
         * @example 23
         */
        "Retry-After": number;
        /**
         * @description Only over HTTPS (RFC 6797).
         * @example max-age=31536000
         */
        "Strict-Transport-Security": string;
        /**
         * @description Request headers that the answer depends on (RFC 9110).
         * @example Origin
         */
        Vary: string;
        /**
         * @description How to authenticate (RFC 6750), and what was wrong with the token that was sent.
         * @example Bearer
         */
        "WWW-Authenticate": string;
        /**
         * @description The content type is as it says.
         * @example nosniff
         */
        "X-Content-Type-Options": "nosniff";
        /**
         * @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one.
         * @example 600
         */
        "X-RateLimit-Limit": number;
        /**
         * @description Requests remaining in that window.
         * @example 297
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description Unix timestamp, in seconds, at which that window resets.
         * @example 1795260720
         */
        "X-RateLimit-Reset": number;
        /**
         * @description Id of the request, for support. It is in the log of the service.
         * @example 0f8fad5b-d9cb-469f-a165-70867728950e
         */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAccounts: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The accounts. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "accountId": "acc_8sK2mPq4Zt",
                     *         "name": "My shop",
                     *         "plan": "pro",
                     *         "limits": {
                     *           "perMinute": 300,
                     *           "perDay": 10000
                     *         },
                     *         "createdAt": "2026-03-02T09:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Account"][];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "My shop"
                 *     }
                 */
                "application/json": components["schemas"]["AccountInput"];
            };
        };
        responses: {
            /** @description The new account. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "acc_8sK2mPq4Zt",
                     *       "name": "My shop",
                     *       "plan": "free",
                     *       "limits": {
                     *         "perMinute": 60,
                     *         "perDay": 1000
                     *       },
                     *       "createdAt": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `idempotency_in_progress`: A request with the same Idempotency-Key is being handled; retry after `Retry-After`.
             *
             *     `conflict`: Not possible as things are now; the message says what is needed.
             */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The Idempotency-Key was used for another request within the last 24 hours. */
            422: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "acc_8sK2mPq4Zt",
                     *       "name": "My shop",
                     *       "plan": "pro",
                     *       "limits": {
                     *         "perMinute": 300,
                     *         "perDay": 10000
                     *       },
                     *       "createdAt": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "keyId": "key_8sK2mPq4ZtfL0aPz81YcQe",
                     *         "name": "laptop",
                     *         "scopes": [
                     *           "pets:read",
                     *           "pets:write"
                     *         ],
                     *         "state": "active",
                     *         "createdAt": "2026-03-02T09:00:00.000Z",
                     *         "expiresAt": null,
                     *         "bannedUntil": null,
                     *         "lastUsedAt": "2026-03-03T10:15:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Key"][];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    issueKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
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
                /**
                 * @example {
                 *       "name": "laptop",
                 *       "scopes": [
                 *         "pets:read",
                 *         "pets:write"
                 *       ],
                 *       "expiresInDays": 90
                 *     }
                 */
                "application/json": components["schemas"]["KeyInput"];
            };
        };
        responses: {
            /** @description The new key. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keyId": "key_8sK2mPq4ZtfL0aPz81YcQe",
                     *       "name": "laptop",
                     *       "scopes": [
                     *         "pets:read",
                     *         "pets:write"
                     *       ],
                     *       "state": "active",
                     *       "createdAt": "2026-03-02T09:00:00.000Z",
                     *       "expiresAt": "2026-05-31T09:00:00.000Z",
                     *       "bannedUntil": null,
                     *       "lastUsedAt": null,
                     *       "key": "petstore_test_8sK2mPq4ZtThisOneIsAnExample000000000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `idempotency_in_progress`: A request with the same Idempotency-Key is being handled; retry after `Retry-After`.
             *
             *     `conflict`: Not possible as things are now; the message says what is needed.
             */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The Idempotency-Key was used for another request within the last 24 hours. */
            422: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": true
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
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
                /**
                 * @example {
                 *       "graceSeconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["RotationInput"];
            };
        };
        responses: {
            /** @description The new key, and when the old one ends. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keyId": "key_8sK2mPq4Ztw5Xr7Bn2Vc9M",
                     *       "name": "laptop",
                     *       "scopes": [
                     *         "pets:read",
                     *         "pets:write"
                     *       ],
                     *       "state": "active",
                     *       "createdAt": "2026-03-03T10:15:00.000Z",
                     *       "expiresAt": null,
                     *       "bannedUntil": null,
                     *       "lastUsedAt": null,
                     *       "key": "petstore_test_8sK2mPq4ZtThisOneIsAnExample000000000000000002",
                     *       "oldKeyId": "key_8sK2mPq4ZtfL0aPz81YcQe",
                     *       "oldExpiresAt": "2026-03-04T10:15:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RotatedKey"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `idempotency_in_progress`: A request with the same Idempotency-Key is being handled; retry after `Retry-After`.
             *
             *     `conflict`: Not possible as things are now; the message says what is needed.
             */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The Idempotency-Key was used for another request within the last 24 hours. */
            422: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keyId": "key_8sK2mPq4ZtfL0aPz81YcQe",
                     *       "name": "laptop",
                     *       "scopes": [
                     *         "pets:read",
                     *         "pets:write"
                     *       ],
                     *       "state": "active",
                     *       "createdAt": "2026-03-02T09:00:00.000Z",
                     *       "expiresAt": null,
                     *       "bannedUntil": null,
                     *       "lastUsedAt": "2026-03-03T10:15:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Key"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "userId": "usr_Jd83hsPq0aXw6TfN",
                     *         "email": "ann@example.com"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Member"][];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": true
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "projectId": "prj_x7Rb2Lq9Vd",
                     *         "accountId": "acc_8sK2mPq4Zt",
                     *         "name": "Shop",
                     *         "target": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *         "deploymentId": "dpl_h4Tz9Gm1Sf",
                     *         "createdAt": "2026-03-02T09:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Project"][];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
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
                /**
                 * @example {
                 *       "name": "Shop"
                 *     }
                 */
                "application/json": components["schemas"]["ProjectInput"];
            };
        };
        responses: {
            /** @description The new project. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "prj_x7Rb2Lq9Vd",
                     *       "accountId": "acc_8sK2mPq4Zt",
                     *       "name": "Shop",
                     *       "target": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *       "deploymentId": "dpl_h4Tz9Gm1Sf",
                     *       "createdAt": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `idempotency_in_progress`: A request with the same Idempotency-Key is being handled; retry after `Retry-After`.
             *
             *     `conflict`: Not possible as things are now; the message says what is needed.
             */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The Idempotency-Key was used for another request within the last 24 hours. */
            422: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
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
            /** @description The use. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "acc_8sK2mPq4Zt",
                     *       "plan": "pro",
                     *       "minute": {
                     *         "used": 3,
                     *         "limit": 300,
                     *         "remaining": 297,
                     *         "resetAt": "2026-03-03T10:16:00.000Z"
                     *       },
                     *       "day": {
                     *         "used": 588,
                     *         "limit": 10000,
                     *         "remaining": 9412,
                     *         "resetAt": "2026-03-04T00:00:00.000Z"
                     *       },
                     *       "bans": [],
                     *       "history": {
                     *         "minutes": [
                     *           {
                     *             "startsAt": "2026-03-03T10:15:00.000Z",
                     *             "admitted": 3
                     *           }
                     *         ],
                     *         "days": [
                     *           {
                     *             "startsAt": "2026-03-03T00:00:00.000Z",
                     *             "admitted": 588,
                     *             "refused": 0
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Usage"];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "usr_Jd83hsPq0aXw6TfN",
                     *       "email": "ann@example.com",
                     *       "accounts": [
                     *         {
                     *           "accountId": "acc_8sK2mPq4Zt",
                     *           "name": "My shop",
                     *           "plan": "pro",
                     *           "limits": {
                     *             "perMinute": 300,
                     *             "perDay": 10000
                     *           },
                     *           "createdAt": "2026-03-02T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "platform": {
                     *         "edgeHost": "edge.petstore.test",
                     *         "httpsPort": 8443,
                     *         "sandboxSuffix": "test",
                     *         "plans": [
                     *           {
                     *             "plan": "free",
                     *             "label": "Free",
                     *             "limits": {
                     *               "perMinute": 60,
                     *               "perDay": 1000
                     *             },
                     *             "projects": 5,
                     *             "domains": 0
                     *           },
                     *           {
                     *             "plan": "pro",
                     *             "label": "Pro",
                     *             "limits": {
                     *               "perMinute": 300,
                     *               "perDay": 10000
                     *             },
                     *             "projects": 50,
                     *             "domains": 100
                     *           },
                     *           {
                     *             "plan": "business",
                     *             "label": "Business",
                     *             "limits": {
                     *               "perMinute": 1000,
                     *               "perDay": 100000
                     *             },
                     *             "projects": 200,
                     *             "domains": 500
                     *           },
                     *           {
                     *             "plan": "enterprise",
                     *             "label": "Enterprise",
                     *             "limits": null,
                     *             "projects": 1000,
                     *             "domains": 2000
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": true
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    Vary: components["headers"]["Vary"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0",
                     *       "info": {
                     *         "title": "Petstore control API",
                     *         "version": "1.0.0"
                     *       },
                     *       "paths": {}
                     *     }
                     */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    Vary: components["headers"]["Vary"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "prj_x7Rb2Lq9Vd",
                     *       "accountId": "acc_8sK2mPq4Zt",
                     *       "name": "Shop",
                     *       "target": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *       "deploymentId": "dpl_h4Tz9Gm1Sf",
                     *       "createdAt": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getConfiguration: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domains": {
                     *         "primary": "www.my-shop.test",
                     *         "redirects": [
                     *           {
                     *             "from": "my-shop.test",
                     *             "to": "www.my-shop.test",
                     *             "status": 301
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectConfiguration"];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                /**
                 * @example {
                 *       "domains": {
                 *         "primary": "www.my-shop.test",
                 *         "redirects": [
                 *           {
                 *             "from": "my-shop.test",
                 *             "to": "www.my-shop.test",
                 *             "status": 301
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ProjectConfigurationInput"];
            };
        };
        responses: {
            /** @description The configuration as it is stored. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domains": {
                     *         "primary": "www.my-shop.test",
                     *         "redirects": [
                     *           {
                     *             "from": "my-shop.test",
                     *             "to": "www.my-shop.test",
                     *             "status": 301
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectConfiguration"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeployments: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "deploymentId": "dpl_h4Tz9Gm1Sf",
                     *         "current": true,
                     *         "createdAt": "2026-03-03T10:15:00.000Z",
                     *         "files": 12,
                     *         "bytes": 48213
                     *       },
                     *       {
                     *         "deploymentId": "dpl_B6vN0kXr3J",
                     *         "current": false,
                     *         "createdAt": "2026-03-02T09:00:00.000Z",
                     *         "files": 2,
                     *         "bytes": 31877
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Deployment"][];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDomains: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "domainId": "dom_p3Wn5Yc8Ke",
                     *         "host": "www.my-shop.test",
                     *         "projectId": "prj_x7Rb2Lq9Vd",
                     *         "state": "verifying",
                     *         "stateLabel": "Checking the DNS",
                     *         "served": false,
                     *         "inProgress": true,
                     *         "since": "2026-03-03T10:20:00.000Z",
                     *         "diagnosis": {
                     *           "code": "not_found",
                     *           "seen": "no record at www.my-shop.test",
                     *           "fix": "add the record: CNAME, name www, value k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *           "actor": "owner"
                     *         },
                     *         "advice": {
                     *           "code": "not_found",
                     *           "seen": "no record at www.my-shop.test",
                     *           "fix": "add the record: CNAME, name www, value k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *           "actor": "owner"
                     *         },
                     *         "canVerify": true,
                     *         "certificateLate": false,
                     *         "history": [
                     *           {
                     *             "state": "awaiting_dns",
                     *             "at": "2026-03-03T10:15:00.000Z"
                     *           },
                     *           {
                     *             "state": "verifying",
                     *             "at": "2026-03-03T10:20:00.000Z"
                     *           }
                     *         ],
                     *         "records": [
                     *           {
                     *             "type": "CNAME",
                     *             "name": "www.my-shop.test",
                     *             "label": "www",
                     *             "value": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *             "ttl": 3600
                     *           }
                     *         ],
                     *         "nextCheckAt": "2026-03-03T10:20:30.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Domain"][];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
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
                /**
                 * @example {
                 *       "host": "www.my-shop.test"
                 *     }
                 */
                "application/json": components["schemas"]["DomainInput"];
            };
        };
        responses: {
            /** @description The new domain, in the state `awaiting_dns`. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domainId": "dom_p3Wn5Yc8Ke",
                     *       "host": "www.my-shop.test",
                     *       "projectId": "prj_x7Rb2Lq9Vd",
                     *       "state": "awaiting_dns",
                     *       "stateLabel": "Waiting for its record",
                     *       "served": false,
                     *       "inProgress": false,
                     *       "since": "2026-03-03T10:15:00.000Z",
                     *       "diagnosis": null,
                     *       "advice": {
                     *         "code": "awaiting_dns",
                     *         "seen": "www.my-shop.test was added; its records have not been looked at",
                     *         "fix": "set the records shown here at your DNS provider, then verify",
                     *         "actor": "owner"
                     *       },
                     *       "canVerify": true,
                     *       "certificateLate": false,
                     *       "history": [
                     *         {
                     *           "state": "awaiting_dns",
                     *           "at": "2026-03-03T10:15:00.000Z"
                     *         }
                     *       ],
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "www.my-shop.test",
                     *           "label": "www",
                     *           "value": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *           "ttl": 3600
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `idempotency_in_progress`: A request with the same Idempotency-Key is being handled; retry after `Retry-After`.
             *
             *     `conflict`: Not possible as things are now; the message says what is needed.
             */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The Idempotency-Key was used for another request within the last 24 hours. */
            422: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domainId": "dom_p3Wn5Yc8Ke",
                     *       "host": "www.my-shop.test",
                     *       "projectId": "prj_x7Rb2Lq9Vd",
                     *       "state": "verifying",
                     *       "stateLabel": "Checking the DNS",
                     *       "served": false,
                     *       "inProgress": true,
                     *       "since": "2026-03-03T10:20:00.000Z",
                     *       "diagnosis": {
                     *         "code": "not_found",
                     *         "seen": "no record at www.my-shop.test",
                     *         "fix": "add the record: CNAME, name www, value k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *         "actor": "owner"
                     *       },
                     *       "advice": {
                     *         "code": "not_found",
                     *         "seen": "no record at www.my-shop.test",
                     *         "fix": "add the record: CNAME, name www, value k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *         "actor": "owner"
                     *       },
                     *       "canVerify": true,
                     *       "certificateLate": false,
                     *       "history": [
                     *         {
                     *           "state": "awaiting_dns",
                     *           "at": "2026-03-03T10:15:00.000Z"
                     *         },
                     *         {
                     *           "state": "verifying",
                     *           "at": "2026-03-03T10:20:00.000Z"
                     *         }
                     *       ],
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "www.my-shop.test",
                     *           "label": "www",
                     *           "value": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *           "ttl": 3600
                     *         }
                     *       ],
                     *       "nextCheckAt": "2026-03-03T10:20:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeDomain: {
        parameters: {
            query?: {
                /**
                 * @description Also if it is the primary domain, or redirects lead to it: they end too.
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domainId": "dom_p3Wn5Yc8Ke",
                     *       "host": "www.my-shop.test",
                     *       "projectId": "prj_x7Rb2Lq9Vd",
                     *       "state": "removing",
                     *       "stateLabel": "Being removed",
                     *       "served": false,
                     *       "inProgress": true,
                     *       "since": "2026-03-04T08:00:00.000Z",
                     *       "diagnosis": null,
                     *       "advice": {
                     *         "code": "removing",
                     *         "seen": "www.my-shop.test is not served any more",
                     *         "fix": "nothing: the rest is being taken down",
                     *         "actor": "nobody"
                     *       },
                     *       "canVerify": false,
                     *       "certificateLate": false,
                     *       "history": [
                     *         {
                     *           "state": "awaiting_dns",
                     *           "at": "2026-03-03T10:15:00.000Z"
                     *         },
                     *         {
                     *           "state": "removing",
                     *           "at": "2026-03-04T08:00:00.000Z"
                     *         }
                     *       ],
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "www.my-shop.test",
                     *           "label": "www",
                     *           "value": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *           "ttl": 3600
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domainId": "dom_p3Wn5Yc8Ke",
                     *       "host": "www.my-shop.test",
                     *       "projectId": "prj_x7Rb2Lq9Vd",
                     *       "state": "verifying",
                     *       "stateLabel": "Checking the DNS",
                     *       "served": false,
                     *       "inProgress": true,
                     *       "since": "2026-03-03T10:20:00.000Z",
                     *       "diagnosis": {
                     *         "code": "not_found",
                     *         "seen": "no record at www.my-shop.test",
                     *         "fix": "add the record: CNAME, name www, value k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *         "actor": "owner"
                     *       },
                     *       "advice": {
                     *         "code": "not_found",
                     *         "seen": "no record at www.my-shop.test",
                     *         "fix": "add the record: CNAME, name www, value k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *         "actor": "owner"
                     *       },
                     *       "canVerify": true,
                     *       "certificateLate": false,
                     *       "history": [
                     *         {
                     *           "state": "awaiting_dns",
                     *           "at": "2026-03-03T10:15:00.000Z"
                     *         },
                     *         {
                     *           "state": "verifying",
                     *           "at": "2026-03-03T10:20:00.000Z"
                     *         }
                     *       ],
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "www.my-shop.test",
                     *           "label": "www",
                     *           "value": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *           "ttl": 3600
                     *         }
                     *       ],
                     *       "nextCheckAt": "2026-03-03T10:20:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domainId": "dom_p3Wn5Yc8Ke",
                     *       "host": "www.my-shop.test",
                     *       "projectId": "prj_x7Rb2Lq9Vd",
                     *       "state": "verifying",
                     *       "stateLabel": "Checking the DNS",
                     *       "served": false,
                     *       "inProgress": true,
                     *       "since": "2026-03-03T10:20:00.000Z",
                     *       "diagnosis": null,
                     *       "advice": {
                     *         "code": "checking_dns",
                     *         "seen": "the DNS is being checked",
                     *         "fix": "nothing: wait for the result",
                     *         "actor": "nobody"
                     *       },
                     *       "canVerify": true,
                     *       "certificateLate": false,
                     *       "history": [
                     *         {
                     *           "state": "awaiting_dns",
                     *           "at": "2026-03-03T10:15:00.000Z"
                     *         },
                     *         {
                     *           "state": "verifying",
                     *           "at": "2026-03-03T10:20:00.000Z"
                     *         }
                     *       ],
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "www.my-shop.test",
                     *           "label": "www",
                     *           "value": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *           "ttl": 3600
                     *         }
                     *       ],
                     *       "nextCheckAt": "2026-03-03T10:20:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                /**
                 * @example {
                 *       "deploymentId": "dpl_B6vN0kXr3J"
                 *     }
                 */
                "application/json": components["schemas"]["RollBackInput"];
            };
        };
        responses: {
            /** @description The project, with the deployment that it serves now. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "prj_x7Rb2Lq9Vd",
                     *       "accountId": "acc_8sK2mPq4Zt",
                     *       "name": "Shop",
                     *       "target": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *       "deploymentId": "dpl_B6vN0kXr3J",
                     *       "createdAt": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSandboxRecords: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client has: 304 if one still holds.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "www.my-shop.test",
                     *         "type": "CNAME",
                     *         "value": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *         "ttl": 3600
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SandboxRecord"][];
                };
            };
            /** @description Not changed since the ETag of `If-None-Match`. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                /**
                 * @example {
                 *       "name": "www.my-shop.test",
                 *       "type": "CNAME",
                 *       "value": "k7mzq2v8r4xw5tnb.edge.petstore.test"
                 *     }
                 */
                "application/json": components["schemas"]["SandboxRecordInput"];
            };
        };
        responses: {
            /** @description The record as it is stored. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "www.my-shop.test",
                     *       "type": "CNAME",
                     *       "value": "k7mzq2v8r4xw5tnb.edge.petstore.test",
                     *       "ttl": 3600
                     *     }
                     */
                    "application/json": components["schemas"]["SandboxRecord"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unsetSandboxRecord: {
        parameters: {
            query: {
                /**
                 * @description As it is listed
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
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": true
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description `invalid_request`: The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path exists but not with this method; `Allow` lists those that do. */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large`: The request line and headers are larger than 16 KiB. */
            431: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
