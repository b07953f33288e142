// petstore accounts invite | invitations | withdraw-invitation

import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../../core/access/plans.ts';
import { type CommandContext, type JsonOption, print, subcommand, table } from '../context.ts';

/** Adds the commands to `petstore accounts`. */
export function addInvitationCommands(accounts: Command, context: CommandContext): void {
  subcommand(accounts, 'invite <accountId> <email>', 'invite an email address to the account; inviting it again replaces its invitation')
    .addOption(new Option('--role <role>', 'what the invited person may do; owner: everything').choices(ROLES).default('member'))
    .action(async (accountId: string, email: string, { role, json }: JsonOption & { role: Role }) => {
      const sent = await context.withOwner((owner) => owner.invite(accountId, email, role));
      print(context, json, sent, () =>
        [
          `Invited ${sent.email} as ${sent.role} of ${accountId}, until ${sent.expiresAt}`,
          sent.link === null
            ? 'The link is on its way by email'
            : `Send this link yourself${place(sent.link)}; it is shown only once:\n  ${sent.link}`,
        ].join('\n'),
      );
    });

  subcommand(accounts, 'invitations <accountId>', "list an account's open invitations").action(async (accountId: string, { json }: JsonOption) => {
    const rows = await context.withOwner((owner) => owner.listInvitations(accountId));
    print(context, json, rows, () =>
      table(
        ['INVITATION', 'EMAIL', 'ROLE', 'INVITED BY', 'EXPIRES'],
        rows.map((row) => [row.invitationId, row.email, row.role, row.invitedBy.email ?? row.invitedBy.userId ?? 'operator', row.expiresAt]),
        `No open invitations. Invite someone: petstore accounts invite ${accountId} EMAIL`,
      ),
    );
  });

  subcommand(accounts, 'withdraw-invitation <accountId> <invitation>', 'end an invitation; <invitation> is its id or its email address').action(
    async (accountId: string, invitation: string, { json }: JsonOption) => {
      const invitationId = await context.withOwner((owner) => owner.withdrawInvitation(accountId, invitation));
      print(context, json, { accountId, invitationId }, () => `The invitation ${invitationId} is withdrawn`);
    },
  );
}

function place(link: string): string {
  return link.startsWith('/') ? ", prefixed with the dashboard's address" : '';
}
