// `petstore-platform/adapters/s3`: published sites and uploads in S3. Needs @aws-sdk/client-s3 and @aws-sdk/s3-request-presigner.

import '../../platforms/node-version.ts';

export { createS3SiteStore, createS3Uploads } from '../../adapters/sites/s3.ts';
