// `petstore-platform/adapters/ses`: sends emails with Amazon SES. Needs @aws-sdk/client-sesv2.

import '../../platforms/node-version.ts';

export { createSesMailer } from '../../adapters/mail/ses.ts';
