// Generated from the OpenAPI document by client/generate.ts. Do not edit: run `npm run generate`.

export interface paths {
    "/dashboard/v1/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The accounts that the user is a member of. */
        get: operations["listAccounts"];
        put?: never;
        /** Makes an account on the plan Free, with the user as its member. */
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
        /** An account. */
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
        /** API keys, without their texts. */
        get: operations["listKeys"];
        put?: never;
        /** Issues an API key; its text is in this answer alone. */
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
        /** Stops a key at once. */
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
        /** Issues a successor, and lets the key end after a grace period. */
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
        /** Lifts a key's ban; takes effect within a minute. The next ban is still longer. */
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
        /** The users who may act for the account. */
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
        /** No longer lets a user act for the account. The last member stays. */
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
        /** Projects, oldest first. */
        get: operations["listProjects"];
        put?: never;
        /** Makes a project, which serves the API reference until something is published. */
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
        /** An account's use of its quota; counts as no request. */
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
        /** Who is signed in, what they may act for, and where. */
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
        /** Ends all of the user's sessions at once, this one too, where users are kept here. */
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
        /** This document. */
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
        /** A project. */
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
        /** The primary domain and the redirects. */
        get: operations["getConfiguration"];
        /** Takes the place of the configuration before. */
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
        /** Deployments, newest first. */
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
        /** Domains, oldest first. */
        get: operations["listDomains"];
        put?: never;
        /** Adds a domain; the answer has the records to set. */
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
        /** A domain. */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /** Stops serving the domain at once, and takes down what was made for it. */
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
        /** Sets the domain's records, where their zone is in our hands. */
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
        /** Verify and Re-verify: checks the DNS now; what follows goes on by itself. */
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
        /** Serves an earlier deployment again: the one named, or the one before the current. */
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
        /** The records of the sandbox's DNS that the user's accounts or the operator set, where there is a sandbox. */
        get: operations["listSandboxRecords"];
        /** Sets a record of the sandbox, as at a registrar, in the place of those of its name and type. */
        put: operations["setSandboxRecord"];
        post?: never;
        /** Removes a record of the sandbox. */
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
        Error: {
            /** @enum {string} */
            code: "invalid_request" | "unauthorized" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_in_progress" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limit_exceeded" | "internal_error" | "unavailable";
            message: string;
            status: number;
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
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        limits: {
                            perDay: number;
                            perMinute: number;
                        };
                        name: string;
                        /** @enum {string} */
                        plan: "free" | "pro" | "business" | "enterprise";
                    }[];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                /** @description A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description `true`: this is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        limits: {
                            perDay: number;
                            perMinute: number;
                        };
                        name: string;
                        /** @enum {string} */
                        plan: "free" | "pro" | "business" | "enterprise";
                    };
                };
            };
            /** @description `invalid_request`: The body or the Idempotency-Key is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The Idempotency-Key was used for another request within the last 24 hours. */
            422: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        limits: {
                            perDay: number;
                            perMinute: number;
                        };
                        name: string;
                        /** @enum {string} */
                        plan: "free" | "pro" | "business" | "enterprise";
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null if no ban is in force */
                        bannedUntil: string | null;
                        /** Format: date-time */
                        createdAt: string;
                        expiresAt: string | null;
                        keyId: string;
                        /** @description To the minute; null if it has not been used */
                        lastUsedAt: string | null;
                        name: string;
                        scopes: ("pets:read" | "pets:write")[];
                        /** @enum {string} */
                        state: "active" | "banned" | "expired";
                    }[];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                /** @description A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expiresInDays?: number;
                    name: string;
                    /**
                     * @default [
                     *       "pets:read",
                     *       "pets:write"
                     *     ]
                     */
                    scopes?: ("pets:read" | "pets:write")[];
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description `true`: this is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null if no ban is in force */
                        bannedUntil: string | null;
                        /** Format: date-time */
                        createdAt: string;
                        expiresAt: string | null;
                        /** @description The key itself, only here and only now */
                        key: string;
                        keyId: string;
                        /** @description To the minute; null if it has not been used */
                        lastUsedAt: string | null;
                        name: string;
                        scopes: ("pets:read" | "pets:write")[];
                        /** @enum {string} */
                        state: "active" | "banned" | "expired";
                    };
                };
            };
            /** @description `invalid_request`: The body or the Idempotency-Key is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The Idempotency-Key was used for another request within the last 24 hours. */
            422: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                accountId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        done: true;
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                /** @description A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                accountId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 86400 */
                    graceSeconds?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description `true`: this is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null if no ban is in force */
                        bannedUntil: string | null;
                        /** Format: date-time */
                        createdAt: string;
                        expiresAt: string | null;
                        /** @description The key itself, only here and only now */
                        key: string;
                        keyId: string;
                        /** @description To the minute; null if it has not been used */
                        lastUsedAt: string | null;
                        name: string;
                        /** Format: date-time */
                        oldExpiresAt: string;
                        oldKeyId: string;
                        scopes: ("pets:read" | "pets:write")[];
                        /** @enum {string} */
                        state: "active" | "banned" | "expired";
                    };
                };
            };
            /** @description `invalid_request`: The body or the Idempotency-Key is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The Idempotency-Key was used for another request within the last 24 hours. */
            422: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                accountId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null if no ban is in force */
                        bannedUntil: string | null;
                        /** Format: date-time */
                        createdAt: string;
                        expiresAt: string | null;
                        keyId: string;
                        /** @description To the minute; null if it has not been used */
                        lastUsedAt: string | null;
                        name: string;
                        scopes: ("pets:read" | "pets:write")[];
                        /** @enum {string} */
                        state: "active" | "banned" | "expired";
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null where users are kept elsewhere */
                        email: string | null;
                        userId: string;
                    }[];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                accountId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        done: true;
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** @description The deployment that is served */
                        deploymentId: string | null;
                        name: string;
                        projectId: string;
                        /** @description What the CNAME of its domains says */
                        target: string;
                    }[];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                /** @description A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description `true`: this is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** @description The deployment that is served */
                        deploymentId: string | null;
                        name: string;
                        projectId: string;
                        /** @description What the CNAME of its domains says */
                        target: string;
                    };
                };
            };
            /** @description `invalid_request`: The body or the Idempotency-Key is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The Idempotency-Key was used for another request within the last 24 hours. */
            422: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accountId: string;
                        bans: {
                            keyId: string;
                            level: number;
                            /** Format: date-time */
                            until: string;
                        }[];
                        day: {
                            limit: number;
                            remaining: number;
                            /** Format: date-time */
                            resetAt: string;
                            used: number;
                        };
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
                        minute: {
                            limit: number;
                            remaining: number;
                            /** Format: date-time */
                            resetAt: string;
                            used: number;
                        };
                        /** @enum {string} */
                        plan: "free" | "pro" | "business" | "enterprise";
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accounts: {
                            accountId: string;
                            /** Format: date-time */
                            createdAt: string;
                            limits: {
                                perDay: number;
                                perMinute: number;
                            };
                            name: string;
                            /** @enum {string} */
                            plan: "free" | "pro" | "business" | "enterprise";
                        }[];
                        email: string | null;
                        platform: {
                            edgeHost: string;
                            /** @description Where domains are served */
                            httpsPort: number;
                            sandboxSuffix: string | null;
                        };
                        userId: string;
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        done: true;
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** @description The deployment that is served */
                        deploymentId: string | null;
                        name: string;
                        projectId: string;
                        /** @description What the CNAME of its domains says */
                        target: string;
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        domains: {
                            primary?: string;
                            redirects: {
                                from: string;
                                /** @enum {number} */
                                status: 301 | 302 | 307 | 308;
                                to: string;
                            }[];
                        };
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    domains: {
                        primary?: string;
                        /** @default [] */
                        redirects?: {
                            from: string;
                            /**
                             * @default 301
                             * @enum {number}
                             */
                            status?: 301 | 302 | 307 | 308;
                            to: string;
                        }[];
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        domains: {
                            primary?: string;
                            redirects: {
                                from: string;
                                /** @enum {number} */
                                status: 301 | 302 | 307 | 308;
                                to: string;
                            }[];
                        };
                    };
                };
            };
            /** @description `invalid_request`: The body or the Idempotency-Key is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        bytes: number;
                        /** Format: date-time */
                        createdAt: string;
                        current: boolean;
                        deploymentId: string;
                        files: number;
                    }[];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What to do, and who must; null if nothing is waited for */
                        advice: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed" | "certificate_caa" | "certificate_validation" | "certificate_rate_limited" | "certificate_name_refused" | "certificate_timed_out" | "certificate_authority_unavailable" | "certificate_edge_not_ready" | "certificate_other" | "suspended_plan" | "suspended_no_deployment" | "suspended_account" | "awaiting_dns" | "checking_dns" | "certificate_pending" | "certificate_late" | "authority_silent" | "attaching" | "removing" | "taken_over";
                            fix: string;
                            seen: string;
                        } | null;
                        /** @description Is Verify, or Re-verify, possible now? */
                        canVerify: boolean;
                        /** @description No certificate within 30 minutes: check the record and CAA records, then Re-verify */
                        certificateLate: boolean;
                        detail?: string;
                        diagnosis: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "ok" | "ok_flattened" | "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed";
                            fix: string;
                            seen: string;
                        } | null;
                        domainId: string;
                        /** @enum {string} */
                        failure?: "caa" | "validation" | "rate_limited" | "name_refused" | "timed_out" | "authority_unavailable" | "edge_not_ready" | "other";
                        history: {
                            /** Format: date-time */
                            at: string;
                            state: string;
                        }[];
                        host: string;
                        /** Format: date-time */
                        nextCheckAt?: string;
                        projectId: string;
                        /** @enum {string} */
                        reason?: "plan" | "no_deployment" | "account";
                        /** @description What has to stand in the DNS */
                        records: {
                            /** @description The name as most registrars want it: without the registered domain, @ for that domain itself */
                            label: string;
                            name: string;
                            /** @description Seconds */
                            ttl: number;
                            /** @enum {string} */
                            type: "CNAME" | "ALIAS" | "TXT";
                            value: string;
                        }[];
                        /** Format: date-time */
                        since: string;
                        state: string;
                    }[];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                /** @description A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    host: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description `true`: this is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What to do, and who must; null if nothing is waited for */
                        advice: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed" | "certificate_caa" | "certificate_validation" | "certificate_rate_limited" | "certificate_name_refused" | "certificate_timed_out" | "certificate_authority_unavailable" | "certificate_edge_not_ready" | "certificate_other" | "suspended_plan" | "suspended_no_deployment" | "suspended_account" | "awaiting_dns" | "checking_dns" | "certificate_pending" | "certificate_late" | "authority_silent" | "attaching" | "removing" | "taken_over";
                            fix: string;
                            seen: string;
                        } | null;
                        /** @description Is Verify, or Re-verify, possible now? */
                        canVerify: boolean;
                        /** @description No certificate within 30 minutes: check the record and CAA records, then Re-verify */
                        certificateLate: boolean;
                        detail?: string;
                        diagnosis: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "ok" | "ok_flattened" | "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed";
                            fix: string;
                            seen: string;
                        } | null;
                        domainId: string;
                        /** @enum {string} */
                        failure?: "caa" | "validation" | "rate_limited" | "name_refused" | "timed_out" | "authority_unavailable" | "edge_not_ready" | "other";
                        history: {
                            /** Format: date-time */
                            at: string;
                            state: string;
                        }[];
                        host: string;
                        /** Format: date-time */
                        nextCheckAt?: string;
                        projectId: string;
                        /** @enum {string} */
                        reason?: "plan" | "no_deployment" | "account";
                        /** @description What has to stand in the DNS */
                        records: {
                            /** @description The name as most registrars want it: without the registered domain, @ for that domain itself */
                            label: string;
                            name: string;
                            /** @description Seconds */
                            ttl: number;
                            /** @enum {string} */
                            type: "CNAME" | "ALIAS" | "TXT";
                            value: string;
                        }[];
                        /** Format: date-time */
                        since: string;
                        state: string;
                    };
                };
            };
            /** @description `invalid_request`: The body or the Idempotency-Key is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused`: The Idempotency-Key was used for another request within the last 24 hours. */
            422: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path: {
                domainId: string;
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What to do, and who must; null if nothing is waited for */
                        advice: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed" | "certificate_caa" | "certificate_validation" | "certificate_rate_limited" | "certificate_name_refused" | "certificate_timed_out" | "certificate_authority_unavailable" | "certificate_edge_not_ready" | "certificate_other" | "suspended_plan" | "suspended_no_deployment" | "suspended_account" | "awaiting_dns" | "checking_dns" | "certificate_pending" | "certificate_late" | "authority_silent" | "attaching" | "removing" | "taken_over";
                            fix: string;
                            seen: string;
                        } | null;
                        /** @description Is Verify, or Re-verify, possible now? */
                        canVerify: boolean;
                        /** @description No certificate within 30 minutes: check the record and CAA records, then Re-verify */
                        certificateLate: boolean;
                        detail?: string;
                        diagnosis: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "ok" | "ok_flattened" | "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed";
                            fix: string;
                            seen: string;
                        } | null;
                        domainId: string;
                        /** @enum {string} */
                        failure?: "caa" | "validation" | "rate_limited" | "name_refused" | "timed_out" | "authority_unavailable" | "edge_not_ready" | "other";
                        history: {
                            /** Format: date-time */
                            at: string;
                            state: string;
                        }[];
                        host: string;
                        /** Format: date-time */
                        nextCheckAt?: string;
                        projectId: string;
                        /** @enum {string} */
                        reason?: "plan" | "no_deployment" | "account";
                        /** @description What has to stand in the DNS */
                        records: {
                            /** @description The name as most registrars want it: without the registered domain, @ for that domain itself */
                            label: string;
                            name: string;
                            /** @description Seconds */
                            ttl: number;
                            /** @enum {string} */
                            type: "CNAME" | "ALIAS" | "TXT";
                            value: string;
                        }[];
                        /** Format: date-time */
                        since: string;
                        state: string;
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                /** @description Also if it is the primary domain, or redirects lead to it: they end too. */
                withRedirects?: boolean;
            };
            header?: never;
            path: {
                domainId: string;
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What to do, and who must; null if nothing is waited for */
                        advice: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed" | "certificate_caa" | "certificate_validation" | "certificate_rate_limited" | "certificate_name_refused" | "certificate_timed_out" | "certificate_authority_unavailable" | "certificate_edge_not_ready" | "certificate_other" | "suspended_plan" | "suspended_no_deployment" | "suspended_account" | "awaiting_dns" | "checking_dns" | "certificate_pending" | "certificate_late" | "authority_silent" | "attaching" | "removing" | "taken_over";
                            fix: string;
                            seen: string;
                        } | null;
                        /** @description Is Verify, or Re-verify, possible now? */
                        canVerify: boolean;
                        /** @description No certificate within 30 minutes: check the record and CAA records, then Re-verify */
                        certificateLate: boolean;
                        detail?: string;
                        diagnosis: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "ok" | "ok_flattened" | "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed";
                            fix: string;
                            seen: string;
                        } | null;
                        domainId: string;
                        /** @enum {string} */
                        failure?: "caa" | "validation" | "rate_limited" | "name_refused" | "timed_out" | "authority_unavailable" | "edge_not_ready" | "other";
                        history: {
                            /** Format: date-time */
                            at: string;
                            state: string;
                        }[];
                        host: string;
                        /** Format: date-time */
                        nextCheckAt?: string;
                        projectId: string;
                        /** @enum {string} */
                        reason?: "plan" | "no_deployment" | "account";
                        /** @description What has to stand in the DNS */
                        records: {
                            /** @description The name as most registrars want it: without the registered domain, @ for that domain itself */
                            label: string;
                            name: string;
                            /** @description Seconds */
                            ttl: number;
                            /** @enum {string} */
                            type: "CNAME" | "ALIAS" | "TXT";
                            value: string;
                        }[];
                        /** Format: date-time */
                        since: string;
                        state: string;
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                domainId: string;
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What to do, and who must; null if nothing is waited for */
                        advice: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed" | "certificate_caa" | "certificate_validation" | "certificate_rate_limited" | "certificate_name_refused" | "certificate_timed_out" | "certificate_authority_unavailable" | "certificate_edge_not_ready" | "certificate_other" | "suspended_plan" | "suspended_no_deployment" | "suspended_account" | "awaiting_dns" | "checking_dns" | "certificate_pending" | "certificate_late" | "authority_silent" | "attaching" | "removing" | "taken_over";
                            fix: string;
                            seen: string;
                        } | null;
                        /** @description Is Verify, or Re-verify, possible now? */
                        canVerify: boolean;
                        /** @description No certificate within 30 minutes: check the record and CAA records, then Re-verify */
                        certificateLate: boolean;
                        detail?: string;
                        diagnosis: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "ok" | "ok_flattened" | "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed";
                            fix: string;
                            seen: string;
                        } | null;
                        domainId: string;
                        /** @enum {string} */
                        failure?: "caa" | "validation" | "rate_limited" | "name_refused" | "timed_out" | "authority_unavailable" | "edge_not_ready" | "other";
                        history: {
                            /** Format: date-time */
                            at: string;
                            state: string;
                        }[];
                        host: string;
                        /** Format: date-time */
                        nextCheckAt?: string;
                        projectId: string;
                        /** @enum {string} */
                        reason?: "plan" | "no_deployment" | "account";
                        /** @description What has to stand in the DNS */
                        records: {
                            /** @description The name as most registrars want it: without the registered domain, @ for that domain itself */
                            label: string;
                            name: string;
                            /** @description Seconds */
                            ttl: number;
                            /** @enum {string} */
                            type: "CNAME" | "ALIAS" | "TXT";
                            value: string;
                        }[];
                        /** Format: date-time */
                        since: string;
                        state: string;
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                domainId: string;
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What to do, and who must; null if nothing is waited for */
                        advice: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed" | "certificate_caa" | "certificate_validation" | "certificate_rate_limited" | "certificate_name_refused" | "certificate_timed_out" | "certificate_authority_unavailable" | "certificate_edge_not_ready" | "certificate_other" | "suspended_plan" | "suspended_no_deployment" | "suspended_account" | "awaiting_dns" | "checking_dns" | "certificate_pending" | "certificate_late" | "authority_silent" | "attaching" | "removing" | "taken_over";
                            fix: string;
                            seen: string;
                        } | null;
                        /** @description Is Verify, or Re-verify, possible now? */
                        canVerify: boolean;
                        /** @description No certificate within 30 minutes: check the record and CAA records, then Re-verify */
                        certificateLate: boolean;
                        detail?: string;
                        diagnosis: {
                            /** @enum {string} */
                            actor: "owner" | "dns_provider" | "platform" | "nobody";
                            /** @enum {string} */
                            code: "ok" | "ok_flattened" | "not_found" | "wrong_target" | "indirect_cname" | "cname_required" | "conflict_a" | "conflict_aaaa" | "apex_cname" | "multiple_cname" | "cname_loop" | "proxied" | "propagating" | "unregistered" | "dnssec_bogus" | "dns_unreachable" | "ownership_required" | "caa_blocked" | "caa_lookup_failed";
                            fix: string;
                            seen: string;
                        } | null;
                        domainId: string;
                        /** @enum {string} */
                        failure?: "caa" | "validation" | "rate_limited" | "name_refused" | "timed_out" | "authority_unavailable" | "edge_not_ready" | "other";
                        history: {
                            /** Format: date-time */
                            at: string;
                            state: string;
                        }[];
                        host: string;
                        /** Format: date-time */
                        nextCheckAt?: string;
                        projectId: string;
                        /** @enum {string} */
                        reason?: "plan" | "no_deployment" | "account";
                        /** @description What has to stand in the DNS */
                        records: {
                            /** @description The name as most registrars want it: without the registered domain, @ for that domain itself */
                            label: string;
                            name: string;
                            /** @description Seconds */
                            ttl: number;
                            /** @enum {string} */
                            type: "CNAME" | "ALIAS" | "TXT";
                            value: string;
                        }[];
                        /** Format: date-time */
                        since: string;
                        state: string;
                    };
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    deploymentId?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** @description The deployment that is served */
                        deploymentId: string | null;
                        name: string;
                        projectId: string;
                        /** @description What the CNAME of its domains says */
                        target: string;
                    };
                };
            };
            /** @description `invalid_request`: The body or the Idempotency-Key is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: There is no such thing, or it is not one of the user's accounts'. */
            404: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        ttl: number;
                        type: string;
                        value: string;
                    }[];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whose it is; without it, that of the user's oldest account */
                    accountId?: string;
                    name: string;
                    ttl?: number;
                    type: string;
                    value: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        ttl: number;
                        type: string;
                        value: string;
                    };
                };
            };
            /** @description `invalid_request`: The body or the Idempotency-Key is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
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
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    type: string;
                    value: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        done: true;
                    };
                };
            };
            /** @description `invalid_request`: The body or the Idempotency-Key is malformed, or has a value that is not allowed. The message names it. */
            400: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: Nobody is signed in, or the session has ended. */
            401: {
                headers: {
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict`: Not possible as things are now; the message says what is needed. */
            409: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not `application/json`. */
            415: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`: More than 600 requests of a user in a UTC minute, 30 verifications of an account, or 6 of a domain within a minute; try again after `Retry-After`. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error`: A fault of the service; quote `X-Request-Id` when reporting it. */
            500: {
                headers: {
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable`: Storage did not answer; try again. */
            503: {
                headers: {
                    /** @description Seconds to wait before the next try. */
                    "Retry-After"?: number;
                    /** @description Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one. */
                    "X-RateLimit-Limit"?: number;
                    /** @description What is left of it. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description When it is whole again: seconds since 1970. */
                    "X-RateLimit-Reset"?: number;
                    /** @description Names the request in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
