// `petstore-platform/adapters/smtp`: sends emails through an SMTP server.

import '../../platforms/node-version.ts';

export { createSmtpMailer, type SmtpOptions } from '../../adapters/mail/smtp.ts';
export { parseSmtpUrl, type SmtpServer } from '../../adapters/mail/smtp-url.ts';
