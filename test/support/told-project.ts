import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import type { RehearsalServer } from '../../llm/rehearsal/server.ts';
import type { Config, ConfigInput } from '../../schemas/config.ts';
import { demoConfig, openInProcess } from './in-process-build.ts';
import type { InProcess } from './in-process-build.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A project over copies of two demo files and of the prompts, so that rows, licences and prompts can be edited between builds. */
export interface ToldProject {
  readonly folder: string;
  readonly project: InProcess;
  readonly server: RehearsalServer;
  /** Builds a label to its end under a run id of its own. */
  build(runId: string, label?: string, over?: Partial<ConfigInput>): Promise<Config>;
  editPrompt(step: string, edit: (text: string) => string): void;
  /** Rewrites the lines of a source file. */
  editRows(name: 'meddialog' | 'apps', edit: (lines: readonly string[]) => readonly string[]): void;
  close(): Promise<void>;
}

/** Opens such a project in an empty folder; nothing is built yet. */
export async function tellProject(folder: string): Promise<ToldProject> {
  cpSync(join(ROOT, 'prompts'), join(folder, 'prompts'), { recursive: true });
  for (const name of ['meddialog', 'apps']) cpSync(join(ROOT, 'datasets/demo/rows', `${name}.jsonl`), join(folder, `${name}.jsonl`));
  const server = await startRehearsalServer();
  const project = await openInProcess(folder);
  return {
    folder,
    project,
    server,
    build: async (runId, label = 'main', over = {}) => {
      const config = demoConfig(server.url, {
        target: { health: 3, general: 0, coding: 2 },
        sources: (['meddialog', 'apps'] as const).map((adapter) => ({
          name: `demo-${adapter}`,
          adapter,
          path: join(folder, `${adapter}.jsonl`),
          licence: 'CC0-1.0',
        })),
        promptsDir: join(folder, 'prompts'),
        construction: { chunkSize: 3, window: 2 },
        ...over,
      });
      const end = await project.drive(runId, label, config);
      if (end.kind !== 'ended' || end.verdict === 'stuck') throw new Error(`build ${runId} did not end: ${JSON.stringify(end)}`);
      const state = end.verdict === 'complete' ? 'completed' : 'dry';
      await project.store.putRunState({ runId, state, reason: '', until: null, at: Date.now() });
      return config;
    },
    editPrompt: (step, edit) => {
      const file = join(folder, 'prompts', `${step}.md`);
      writeFileSync(file, edit(readFileSync(file, 'utf8')));
    },
    editRows: (name, edit) => {
      const file = join(folder, `${name}.jsonl`);
      writeFileSync(file, `${edit(readFileSync(file, 'utf8').trimEnd().split('\n')).join('\n')}\n`);
    },
    close: async () => {
      try {
        await project.close();
      } finally {
        await server.close();
      }
    },
  };
}
