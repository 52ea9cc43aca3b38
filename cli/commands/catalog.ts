/** Parsed command line of one command. */
export interface Invocation {
  readonly options: Readonly<Record<string, unknown>>;
  readonly positional: readonly string[];
  /** What other commands take, so that messages can tell them whole; absent: messages stay as they are. */
  readonly takenFlags?: ReadonlyMap<string, { readonly label: boolean }>;
}

/** A command: what `--help` shows, and where its code lies. Loaded only when it is chosen. */
export interface CommandSpec {
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly (readonly [string, string])[];
  readonly takesConfig: boolean;
  load(): Promise<(invocation: Invocation) => Promise<number>>;
}

const JSON_OPTION = ['--json', 'print JSON'] as const;
const LABEL_OPTION = ['--label <name>', 'which build (default: main)'] as const;

/** Every command of `memcalib`, in the order of a maintainer's loop. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    usage: 'init',
    summary: 'write a commented memcalib.config.ts; spends nothing',
    options: [
      ['--provider <url>', 'base URL of an OpenAI-compatible endpoint (without: the rehearsal model)'],
      ['--api-key-env <name>', 'environment variable that holds the key'],
      ['--builder <model>', 'model that builds'],
      ['--reviewer-a <model>', 'first reviewer'],
      ['--reviewer-b <model>', 'second reviewer, of another family'],
      ['--source <adapter=path...>', 'a source, repeatable'],
      ['--target <health,general,coding>', 'accepted examples wanted'],
      ['--yes', 'ask nothing, take defaults'],
      ['--force', 'overwrite an existing config'],
    ],
    takesConfig: false,
    load: async () => (await import('./init.ts')).runInit,
  },
  {
    usage: 'sources <action> [name]',
    summary: 'source datasets: pull (from the hub, pinned), verify (hash again), report (what falls out and why), show (one row)',
    options: [
      JSON_OPTION,
      ['--raw', 'show: the row as it stands in its file, identifiers and all'],
      ['--from <dir>', 'pull: take the files from a folder, offline'],
      ['--revision <ref>', 'pull: pin anew to this branch, tag or commit'],
      ['--html <file>', 'report: write one page with charts and example rows'],
      ['--label <name>', 'report: the build whose yields are used (default: main)'],
    ],
    takesConfig: true,
    load: async () => (await import('./sources.ts')).runSources,
  },
  {
    usage: 'plan',
    summary: 'what a build would do now: how much is reused, what runs and why, calls, cost, time; asks no model but for a sample',
    options: [
      LABEL_OPTION,
      JSON_OPTION,
      ['--out <file>', 'write the plan as JSON, for build --plan'],
      ['--explain <id>', 'what it means for one candidate, step by step'],
      ['--sample <rows>', 'ask so many of the affected rows first (paid, and reused by the build) and plan on what came of it'],
      ['--restratify', 'strata weights anew, better rows for older near-duplicates; kept; says what moves'],
    ],
    takesConfig: true,
    load: async () => (await import('./plan.ts')).runPlan,
  },
  {
    usage: 'build',
    summary: 'build the dataset to its target, or go on with a build that stopped',
    options: [
      LABEL_OPTION,
      JSON_OPTION,
      ['--detach', 'start it and return'],
      ['--plan <file>', 'only if the plan in this file still holds'],
      ['--allow-unknown-licence', 'let exports of this build hold rows whose licence is unknown; the card says so'],
    ],
    takesConfig: true,
    load: async () => (await import('./build.ts')).runBuild,
  },
  {
    usage: 'up',
    summary: 'keep an owner running until Ctrl-C or SIGTERM',
    options: [],
    takesConfig: true,
    load: async () => (await import('./up.ts')).runUp,
  },
  {
    usage: 'status',
    summary: 'where every row is, what stopped, and what to type next',
    options: [LABEL_OPTION, JSON_OPTION],
    takesConfig: true,
    load: async () => (await import('./status.ts')).runStatus,
  },
  {
    usage: 'pause',
    summary: 'stop sending; nothing is lost',
    options: [LABEL_OPTION],
    takesConfig: true,
    load: async () => (await import('./control.ts')).runPause,
  },
  {
    usage: 'resume',
    summary: 'go on with a paused build',
    options: [LABEL_OPTION, JSON_OPTION, ['--detach', 'return at once'], ['--cap <usd>', 'let the run spend this much in all']],
    takesConfig: true,
    load: async () => (await import('./control.ts')).runResume,
  },
  {
    usage: 'cancel',
    summary: 'end a build; what it made stays',
    options: [LABEL_OPTION],
    takesConfig: true,
    load: async () => (await import('./control.ts')).runCancel,
  },
  {
    usage: 'retry',
    summary: 'open a new series for failed candidates (needs --failed)',
    options: [LABEL_OPTION, ['--failed [class]', 'exactly the failed ones, of one class if named']],
    takesConfig: true,
    load: async () => (await import('./control.ts')).runRetry,
  },
  {
    usage: 'waive',
    summary: 'let the build go on without its failed candidates (needs --failed)',
    options: [LABEL_OPTION, ['--failed', 'exactly the failed ones']],
    takesConfig: true,
    load: async () => (await import('./control.ts')).runWaive,
  },
  {
    usage: 'export [folder]',
    summary: 'write train, test, provenance, rejections, card and manifest, checked',
    options: [
      LABEL_OPTION,
      JSON_OPTION,
      ['--allow-unknown-licence', 'export rows whose licence is unknown; the card says so'],
      ['--partial', 'export what is accepted so far'],
      ['--allow-mixed', 'let examples of earlier pipelines stand where an edited build has not come to yet; the card says so'],
    ],
    takesConfig: true,
    load: async () => (await import('./export.ts')).runExport,
  },
  {
    usage: 'validate <folder>',
    summary: 'check an export or import folder against every invariant',
    options: [
      JSON_OPTION,
      ['--strict', 'with --import: stop at the first violation (exit 7)'],
      ['--import', 'set violating records aside in quarantine.jsonl in that folder (exit 3)'],
    ],
    takesConfig: false,
    load: async () => (await import('./validate.ts')).runValidate,
  },
  {
    usage: 'show <id>',
    summary: 'an example as a reader sees it',
    options: [
      LABEL_OPTION,
      JSON_OPTION,
      ['--hidden', 'with atoms, levels and rubrics'],
      ['--prompt', 'the messages a model under evaluation is sent'],
    ],
    takesConfig: true,
    load: async () => (await import('./show.ts')).runShow,
  },
  {
    usage: 'why <id>',
    summary: 'the passport of an example, an atom (ID/b1.a1) or a source row: row, steps, calls, reasons, exports',
    options: [LABEL_OPTION, JSON_OPTION, ['--not', 'only where it fell, or waits, and what would bring it in']],
    takesConfig: true,
    load: async () => (await import('./why.ts')).runWhy,
  },
  {
    usage: 'diff <before> <after>',
    summary: 'what an edit did to the data: two builds (labels, run ids) or export folders',
    options: [
      JSON_OPTION,
      ['--html <file>', 'also write one static page with examples side by side, the largest change first'],
      ['--examples <n>', 'examples given text by text in --json and --html (default: 100)'],
    ],
    takesConfig: true,
    load: async () => (await import('./diff.ts')).runDiff,
  },
  {
    usage: 'stats',
    summary: 'what the data looks like beside its targets: mix, levels, blocks, lengths, yields, cost',
    options: [LABEL_OPTION, JSON_OPTION, ['--html <file>', 'also write one static page with charts']],
    takesConfig: true,
    load: async () => (await import('./stats.ts')).runStats,
  },
  {
    usage: 'history',
    summary: 'every build: who, when, what changed, what it cost and yielded',
    options: [JSON_OPTION, ['--label <name>', 'builds of one label only']],
    takesConfig: true,
    load: async () => (await import('./history.ts')).runHistory,
  },
  {
    usage: 'calls',
    summary: 'every call to a model: how it ended, what it cost, what was said',
    options: [
      JSON_OPTION,
      ['--step <step>', 'calls of one step (also judge, canary, probe)'],
      ['--class <class>', 'calls that ended so (also open: never answered)'],
      ['--example <id>', 'calls for one example'],
      ['--limit <n>', 'how many at once (default: 50)'],
      ['--before <number>', 'older than this one'],
      ['--show <id>', 'one call whole: request and replies, secrets removed'],
    ],
    takesConfig: true,
    load: async () => (await import('./calls.ts')).runCalls,
  },
  {
    usage: 'record',
    summary: 'write what came back for a call as a test fixture, without its words',
    options: [
      ['--call <id>', 'which call, as `memcalib calls` prints it'],
      ['--out <file>', 'file of fixtures; one that exists gets one more'],
    ],
    takesConfig: true,
    load: async () => (await import('./record.ts')).runRecord,
  },
  {
    usage: 'cost',
    summary: 'what was spent by role, step, day and run',
    options: [LABEL_OPTION, JSON_OPTION],
    takesConfig: true,
    load: async () => (await import('./cost.ts')).runCost,
  },
  {
    usage: 'judge <rollout>',
    summary: 'judge every response of a rollout file, atom by atom, for the trainer',
    options: [JSON_OPTION, ['--out <file>', 'where the judgments go (default: beside the rollout)']],
    takesConfig: true,
    load: async () => (await import('./judge.ts')).runJudge,
  },
  {
    usage: 'gc',
    summary: 'list what no kept build needs; drops nothing without --yes, and no paid reply without a backup',
    options: [
      ['--older-than <age>', 'only what is older: 12h, 30d, 8w (needed)'],
      ['--yes', 'drop what is listed'],
      ['--backup <file>', 'back the project up first (needed when paid replies would go)'],
      JSON_OPTION,
    ],
    takesConfig: true,
    load: async () => (await import('./gc.ts')).runGc,
  },
  {
    usage: 'compact',
    summary: 'rewrite the database to the size of what it holds',
    options: [JSON_OPTION],
    takesConfig: true,
    load: async () => (await import('./compact.ts')).runCompact,
  },
  {
    usage: 'backup <file>',
    summary: 'the whole project in one checked file',
    options: [JSON_OPTION],
    takesConfig: true,
    load: async () => (await import('./backup.ts')).runBackup,
  },
  {
    usage: 'restore <file>',
    summary: 'put a backup where the config says the project lies; never over a project',
    options: [JSON_OPTION],
    takesConfig: true,
    load: async () => (await import('./restore.ts')).runRestore,
  },
  {
    usage: 'rehearse',
    summary: 'run the rehearsal model as an OpenAI-compatible server',
    options: [
      ['--port <n>', 'port on 127.0.0.1 (default: a free one)'],
      ['--latency <ms>', 'fixed delay per reply'],
      ['--jitter <ms>', 'up to so much more, drawn per call'],
      ['--faults <file>', 'fault plan as JSON'],
      ['--batch-delay <ms>', 'how long a batch takes'],
      ['--batch-answered <percent>', 'share of a batch answered before it expires (default: 100)'],
      ['--seed <text>', 'seed of faults'],
      ['--quiet', 'print nothing but the address'],
    ],
    takesConfig: false,
    load: async () => (await import('./rehearse.ts')).runRehearse,
  },
  {
    usage: 'doctor',
    summary: 'check Node, Temporal, store, endpoints, disk and clock',
    options: [JSON_OPTION, ['--endpoints', 'ask the endpoint of every role, in a few tiny paid calls']],
    takesConfig: true,
    load: async () => (await import('./doctor.ts')).runDoctor,
  },
];
