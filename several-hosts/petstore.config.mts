// The same on each host: docs/server/several-hosts.md.

import { defineConfig } from 'petstore-platform';
import { postgresPlatform } from 'petstore-postgres';

export default defineConfig({ adapters: [postgresPlatform({ url: process.env.DATABASE_URL })] });
