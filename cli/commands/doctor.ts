import { existsSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attach } from '../attach.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { findTemporalProgram } from '../owner/temporal-server.ts';
import type { Invocation } from './catalog.ts';
import { checkEndpoints, probeNotice } from './doctor-endpoints.ts';
import { configOf, isOn, sayJson } from './options.ts';
import { tell } from './told-commands.ts';

/** One line of the doctor: what was looked at, whether it is well, and the cure. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** `note`: usable, but worth knowing. */
  readonly level?: 'note';
  readonly detail: string;
  readonly cure: string;
}

function finding(what: string, ok: boolean, detail: string, cure: string): Finding {
  return { what, ok, detail, cure: ok ? '' : cure };
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return finding('Node', major > 20 || (major === 20 && minor >= 19), process.versions.node, 'install Node 20.19 or newer');
}

function checkTemporal(env: NodeJS.ProcessEnv): Finding {
  const address = env['TEMPORAL_ADDRESS'];
  if (address !== undefined && address !== '') return finding('Temporal', true, `external server ${address}`, '');
  try {
    const program = findTemporalProgram(env);
    return finding(
      'Temporal',
      program !== null,
      program ?? 'no program found',
      'type `node tools/setup.mjs`, or set TEMPORAL_CLI_PATH or TEMPORAL_ADDRESS',
    );
  } catch (error) {
    return finding('Temporal', false, error instanceof CliError ? error.message : String(error), 'correct TEMPORAL_CLI_PATH');
  }
}

async function checkStore(loaded: LoadedConfig): Promise<Finding> {
  const file = join(loaded.projectFolder, 'memcalib.duckdb');
  const owner = attach(loaded.projectFolder);
  if (owner !== null) return finding('Store', true, `held by pid ${owner.owner.pid} (${owner.owner.command})`, '');
  if (!existsSync(file)) return finding('Store', true, 'no project yet: the first build makes it', '');
  const { openStore } = await import('../../store/open.ts');
  try {
    await (await openStore(file, { readOnly: true })).close();
    return finding('Store', true, file, '');
  } catch (error) {
    return finding('Store', false, error instanceof Error ? error.message : String(error), 'see the sentence above');
  }
}

function checkDisk(loaded: LoadedConfig): Finding {
  const folder = existsSync(loaded.projectFolder) ? loaded.projectFolder : dirname(loaded.projectFolder);
  const { bavail, bsize } = statfsSync(folder);
  const freeGb = (bavail * bsize) / 1e9;
  return finding('Disk', freeGb > 2, `${freeGb.toFixed(1)} GB free at ${folder}`, 'free at least 2 GB, or set projectDir to another disk');
}

function checkClock(): Finding {
  const year = new Date().getUTCFullYear();
  return finding('Clock', year >= 2025 && year < 2100, new Date().toISOString(), 'set the clock: a wrong one breaks TLS and quota times');
}

function lineOf({ what, ok, level, detail, cure }: Finding): string {
  return `${ok ? (level ?? 'ok').padEnd(4) : 'BAD '} ${what}: ${detail.replace(/\.$/, '')}${cure === '' ? '' : `. Cure: ${cure}`}`;
}

/** `memcalib doctor`: one line per thing a build needs, with the cure. */
export async function runDoctor(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const findings = [
    checkNode(),
    checkTemporal(process.env),
    await checkStore(loaded),
    checkDisk(loaded),
    checkClock(),
    finding('Config', true, loaded.file, ''),
  ];
  const isJson = isOn(invocation, 'json');
  const all = isOn(invocation, 'endpoints');
  if (!isJson) for (const item of findings) tell(invocation, lineOf(item));
  const notice = probeNotice(loaded, all);
  if (notice !== null && !isJson) tell(invocation, notice);
  const endpoints = await checkEndpoints(loaded, process.env, all);
  findings.push(...endpoints);
  if (isJson) sayJson(findings);
  else for (const item of endpoints) tell(invocation, lineOf(item));
  return findings.every((item) => item.ok) ? EXIT.ok : EXIT.environment;
}
