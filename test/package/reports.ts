// The public interface, as API Extractor reads it from the built declarations: one report for each entry of the package, in package/reports.
// `npm run generate:reports` writes them, and a release has them, so that two releases can be compared.

import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const ROOT = join(import.meta.dirname, '../..');
const REPORTS = join(ROOT, 'package/reports');

/** The entries of the package, such as `adapters/sqlite`. */
export const ENTRIES: readonly string[] = globSync('{*,adapters/*}.ts', { cwd: join(ROOT, 'package'), exclude: ['build.ts'] })
  .map((file) => file.replace(/\.ts$/, ''))
  .toSorted();

/** Writes the report of an entry. @param temporary a folder for what is written meanwhile. @returns the report's file */
export function writeReport(entry: string, temporary: string): string {
  const reportFileName = `${entry.replace('/', '-')}.api.md`;
  mkdirSync(REPORTS, { recursive: true });
  const declarations = join(ROOT, `dist/package/${entry}.d.ts`);
  const none = { default: { logLevel: ExtractorLogLevel.None } };
  const config = ExtractorConfig.prepare({
    configObjectFullPath: join(ROOT, 'package/api-extractor.json'),
    packageJsonFullPath: join(ROOT, 'package.json'),
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: declarations,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            strict: true,
            target: 'es2022',
            lib: ['esnext'],
            module: 'nodenext',
            moduleResolution: 'nodenext',
            types: ['node'],
            skipLibCheck: true,
          },
          files: [declarations],
        },
      },
      apiReport: { enabled: true, reportFileName, reportFolder: REPORTS, reportTempFolder: temporary },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      // The compiler and the linter have checked the sources; this is about what is public.
      messages: { compilerMessageReporting: none, extractorMessageReporting: none, tsdocMessageReporting: none },
    },
  });
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = true;
    },
  });
  return join(REPORTS, reportFileName);
}

if (import.meta.main) {
  const temporary = mkdtempSync(join(tmpdir(), 'petstore-reports-'));
  for (const entry of ENTRIES) console.log(writeReport(entry, temporary));
  rmSync(temporary, { recursive: true });
}
