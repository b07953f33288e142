// Generated from the OpenAPI document by client/generate.ts. Do not edit: run `npm run generate`.

export interface paths {
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description The OpenAPI document of this API. Needs no key and counts towards no limit.
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
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List animals
         * @description A page of animals, in ascending order of id. If there are more, `Link` has the URL of the next page with `rel="next"` (RFC 8288). Use it unchanged. HEAD is answered like GET, without the body. The key needs the scope `pets:read`.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description Adds an animal and assigns an id to it. With an `Idempotency-Key`, a repeated request within 24 hours gets the first response again, and adds nothing. The key needs the scope `pets:write`.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an animal
         * @deprecated
         * @description Deprecated: will be removed on 5 December 2030 and return 410 from then on. Use `GET /v1/pets` with the `status` filter instead. Responses carry `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to the successor. The key needs the scope `pets:read`.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The body of every error. */
        Error: {
            /**
             * @description Machine-readable error code.
             * @enum {string}
             */
            code: "invalid_request" | "unauthorized" | "forbidden" | "account_suspended" | "not_found" | "method_not_allowed" | "request_timeout" | "idempotency_in_progress" | "gone" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limit_exceeded" | "api_key_banned" | "headers_too_large" | "internal_error" | "unavailable";
            /** @description What was given, what is allowed, what to do. */
            message: string;
            /** @description The HTTP status code. */
            status: number;
        };
        /** @description An animal to add. */
        NewPet: {
            /**
             * Format: int64
             * @description Id of the category that the animal belongs to. Keeps every digit of an int64.
             */
            categoryId: bigint;
            /** @description The animal's name, stored in Unicode NFC. */
            name: string;
            /** @default available */
            status?: components["schemas"]["PetStatus"];
        };
        /** @description An animal in the catalogue. */
        Pet: {
            /**
             * Format: int64
             * @description Id of the category that the animal belongs to. Keeps every digit of an int64.
             */
            categoryId: bigint;
            /**
             * Format: int64
             * @description Unique identifier, assigned by the service. Below 2^53, ascending in time.
             */
            id: number;
            /** @description The animal's name, stored in Unicode NFC. */
            name: string;
            status: components["schemas"]["PetStatus"];
        };
        /** @description A page of animals, in ascending order of id. */
        Pets: components["schemas"]["Pet"][];
        /**
         * @description Availability of an animal.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
    };
    responses: never;
    parameters: {
        /**
         * @description Makes the request safe to repeat for 24 hours: 1 to 255 visible ASCII characters, quoted or bare; a UUID, for example.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        "Idempotency-Key": string;
        /**
         * @description ETags that the client already has; the response is 304 if one still matches.
         * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
         */
        "If-None-Match": string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client already has; the response is 304 if one still matches.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
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
    listPets: {
        parameters: {
            query?: {
                /**
                 * @description Where the page starts: taken from the `Link` header of the previous page, with the same `status`.
                 * @example EADd7UREsADgXaYT
                 */
                cursor?: string;
                /**
                 * @description Animals per page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description Only animals with this status.
                 * @example available
                 */
                status?: components["schemas"]["PetStatus"];
            };
            header?: {
                /**
                 * @description ETags that the client already has; the response is 304 if one still matches.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of animals. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes the request safe to repeat for 24 hours: 1 to 255 visible ASCII characters, quoted or bare; a UUID, for example.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB, in UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The animal, with its id. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description ETags that the client already has; the response is 304 if one still matches.
                 * @example "LXEWQrcmsEQBYnyp-6wy9chTD7G"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the animal.
                 * @example 244011122335744
                 */
                petId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
        };
    };
}

/** Members that are bigints. */
export const BIGINT_MEMBERS: ReadonlySet<string> = new Set(["NewPet", "Pet", "categoryId"]);
