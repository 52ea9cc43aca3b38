import type { Config } from './config.ts';
import type { StepId } from './steps.ts';

/** What a build was asked to do, frozen when it starts: later edits of files reach the next build only. */
export interface RunSpec {
  readonly runId: string;
  readonly label: string;
  readonly startedAt: number;
  /** Account and machine of whoever started it; absent in runs of an older MemCalib. */
  readonly startedBy?: string;
  readonly config: Config;
  /** Folder the config's relative paths start from. */
  readonly baseDir: string;
  /** True when no provider is configured and the rehearsal model answers. */
  readonly rehearsal: boolean;
  /** Exports of this build may hold rows whose licence is unknown. Decides nothing that is built. */
  readonly allowUnknownLicence?: boolean;
  readonly prompts: Readonly<Record<StepId, { readonly instructions: string; readonly maxTokens: number }>>;
}
