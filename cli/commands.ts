import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

/** Adds a command with its subcommands. */
export type AddCommands = (program: Command, context: CommandContext) => void;

/** The commands, each in the file that it names, loaded on demand: loading all dependencies takes longer than running most commands. */
export const COMMANDS: Readonly<Record<string, () => Promise<AddCommands>>> = {
  start: async () => (await import('./commands/start.ts')).addStartCommand,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
  restore: async () => (await import('./commands/backup.ts')).addRestoreCommand,
  move: async () => (await import('./commands/move.ts')).addMoveCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  login: async () => (await import('./commands/login.ts')).addLoginCommand,
  logout: async () => (await import('./commands/login.ts')).addLogoutCommand,
  accounts: async () => (await import('./commands/accounts.ts')).addAccountCommands,
  'plan-requests': async () => (await import('./commands/plan-requests.ts')).addPlanRequestCommands,
  audit: async () => (await import('./commands/audit.ts')).addAuditCommands,
  users: async () => (await import('./commands/users.ts')).addUserCommands,
  dashboard: async () => (await import('./commands/dashboard.ts')).addDashboardCommands,
  keys: async () => (await import('./commands/keys.ts')).addKeyCommands,
  usage: async () => (await import('./commands/usage.ts')).addUsageCommand,
  pets: async () => (await import('./commands/pets.ts')).addPetCommands,
  projects: async () => (await import('./commands/projects.ts')).addProjectCommands,
  domains: async () => (await import('./commands/domains.ts')).addDomainCommands,
  config: async () => (await import('./commands/config.ts')).addConfigCommands,
  mails: async () => (await import('./commands/mails.ts')).addMailCommands,
  cost: async () => (await import('./commands/cost.ts')).addCostCommand,
  completion: async () => (await import('./commands/completion.ts')).addCompletionCommand,
  man: async () => (await import('./commands/man.ts')).addManCommand,
  'sandbox-dns': async () => (await import('./commands/sandbox-dns.ts')).addSandboxDnsCommands,
};
