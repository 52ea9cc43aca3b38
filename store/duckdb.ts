import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { availableParallelism } from 'node:os';
import { alreadyOpenError, StoreError, storeErrorFrom } from './errors.ts';
import { GroupCommit } from './group-commit.ts';
import { Journal } from './journal.ts';
import { bindParams, cellFrom, type Param, type ResultRow } from './rows.ts';
import type { Insert } from './table.ts';

/** How a database file is opened. */
export interface DatabaseOptions {
  readonly readOnly: boolean;
  readonly memoryLimitMb: number;
  readonly lingerMs: number;
}

const READERS = 3;
const MAX_JOBS = 512;
const MAX_ROWS = 8192;
/** Attached to the instance while a store is open, so that a second one in the same process is refused. */
const GUARD = 'memcalib_open';
/** Rows stay in the journal at most this long, so that a quiet store has none. */
const MOVE_AFTER_MS = 1000;

/** The one handle on a DuckDB file: a writer behind a group commit, a few readers, no extension installs. */
export class Database {
  readonly file: string;
  readonly readOnly: boolean;
  private readonly instance: DuckDBInstance;
  private readonly writer: DuckDBConnection;
  private readonly idle: DuckDBConnection[];
  private readonly waiting: ((reader: DuckDBConnection) => void)[] = [];
  private readonly group: GroupCommit<readonly Insert[]>;
  private readonly journal: Journal;
  private moving: Promise<void> | null = null;
  private moveTimer: NodeJS.Timeout | null = null;
  private closing: Promise<void> | null = null;

  private constructor(
    file: string,
    options: DatabaseOptions,
    instance: DuckDBInstance,
    writer: DuckDBConnection,
    readers: DuckDBConnection[],
  ) {
    this.file = file;
    this.readOnly = options.readOnly;
    this.instance = instance;
    this.writer = writer;
    this.idle = readers;
    const { lingerMs } = options;
    this.journal = new Journal(writer, (run) => this.inTransaction(run));
    this.group = new GroupCommit((jobs) => this.commit(jobs.flat()), { lingerMs, maxJobs: MAX_JOBS, maxWeight: MAX_ROWS });
  }

  /** Opens (or makes) the file; errors are StoreErrors. */
  static async open(file: string, options: DatabaseOptions): Promise<Database> {
    let instance: DuckDBInstance | null = null;
    const connections: DuckDBConnection[] = [];
    try {
      instance = await DuckDBInstance.fromCache(file, {
        access_mode: options.readOnly ? 'READ_ONLY' : 'READ_WRITE',
        memory_limit: `${options.memoryLimitMb}MB`,
        wal_autocheckpoint: '128MB',
        threads: String(Math.max(1, Math.min(4, availableParallelism()))),
        autoinstall_known_extensions: 'false',
        autoload_known_extensions: 'false',
        allow_community_extensions: 'false',
      });
      const writer = await instance.connect();
      connections.push(writer);
      if (!options.readOnly) await guardAgainstSecondStore(writer, file);
      while (connections.length <= READERS) connections.push(await instance.connect());
      return new Database(file, options, instance, writer, connections.slice(1));
    } catch (error) {
      // A connection left open would keep the file and make the next opening wait for ever.
      for (const connection of connections) connection.disconnectSync();
      instance?.closeSync();
      throw storeErrorFrom(error, file);
    }
  }

  /** Rows of a query whose result is known to be small (a chunk, a page, an aggregate). */
  async read(sql: string, params: readonly Param[] = []): Promise<readonly ResultRow[]> {
    try {
      await this.settle(sql);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'disk_full') throw error;
      return this.readUnmoved(sql, params);
    }
    return this.withReader((reader) => rowsOf(reader, sql, params));
  }

  /** Columns of a long result, about 2,048 rows at a time; the reader is held until the callback has seen all. */
  async scan(sql: string, visit: (columns: readonly (readonly unknown[])[], rowCount: number) => void): Promise<void> {
    await this.settle(sql);
    await this.withReader(async (reader) => {
      const result = await reader.stream(sql);
      for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
        visit(chunk.getColumns(), chunk.rowCount);
      }
    });
  }

  /** Appends rows to one or more tables in one transaction shared with whoever waits; resolves when durable. */
  async write(inserts: readonly Insert[]): Promise<void> {
    this.assertWritable();
    const weight = inserts.reduce((sum, insert) => sum + insert.rows.length, 0);
    if (weight === 0) return;
    await this.group.write(inserts, weight);
  }

  /** Runs statements on the writer in one transaction of their own, after everything queued before. */
  async transaction(run: (writer: DuckDBConnection) => Promise<void>): Promise<void> {
    this.assertWritable();
    await this.group.alone(async () => {
      await this.journal.move();
      await this.inTransaction(() => run(this.writer));
    });
  }

  /** Runs work on the writer while nobody else writes, after everything queued before; the work opens its own transactions. */
  async exclusively<T>(run: (writer: DuckDBConnection) => Promise<T>): Promise<T> {
    this.assertWritable();
    return this.group.alone(async () => {
      try {
        await this.journal.move();
        return await run(this.writer);
      } catch (error) {
        throw storeErrorFrom(error, this.file);
      }
    });
  }

  /** Moves what a killed process left in the journal into its tables; returns how many batches there were. */
  async recover(): Promise<number> {
    this.assertWritable();
    let batches = 0;
    await this.group.alone(async () => void (batches = await this.journal.recover()));
    return batches;
  }

  /** Moves the write-ahead log into the file; readers go on meanwhile. */
  async checkpoint(): Promise<void> {
    this.assertWritable();
    await this.group.alone(async () => {
      try {
        await this.journal.move();
        await this.writer.run('CHECKPOINT');
      } catch (error) {
        throw storeErrorFrom(error, this.file);
      }
    });
  }

  /** Waits for queued writes, checkpoints, and gives the file back; a second call waits for the first. */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    let failure: StoreError | null = null;
    if (this.moveTimer !== null) clearTimeout(this.moveTimer);
    await this.group.alone(async () => {
      try {
        if (this.readOnly) return;
        await this.journal.move();
        await this.writer.run('CHECKPOINT');
      } catch (error) {
        failure = storeErrorFrom(error, this.file);
      }
    });
    const readers = await Promise.all(Array.from({ length: READERS }, () => this.reader()));
    if (!this.readOnly) await this.writer.run(`DETACH ${GUARD}`);
    for (const connection of [...readers, this.writer]) connection.disconnectSync();
    this.instance.closeSync();
    if (failure !== null) throw failure;
  }

  private assertWritable(): void {
    if (this.closing !== null) throw new StoreError('closed', `The store ${this.file} is closed already; repeat the command.`);
    if (this.readOnly) {
      throw new StoreError(
        'read_only',
        `${this.file} was opened for reading only; type \`memcalib up\` and repeat the command through the owner.`,
      );
    }
  }

  private async commit(inserts: readonly Insert[]): Promise<void> {
    try {
      await this.journal.add(inserts);
    } catch (error) {
      throw storeErrorFrom(error, this.file);
    }
    this.moveTimer ??= setTimeout(() => {
      this.moveTimer = null;
      void this.move().catch(() => undefined);
    }, MOVE_AFTER_MS);
  }

  /** On a full disk the rows of the journal cannot be moved: the query sees them in a transaction that is given up. */
  private async readUnmoved(sql: string, params: readonly Param[]): Promise<readonly ResultRow[]> {
    return this.group.alone(async () => {
      try {
        return await this.journal.withHeld(() => rowsOf(this.writer, sql, params));
      } catch (error) {
        throw storeErrorFrom(error, this.file);
      }
    });
  }

  /** Sees to it that a query finds every row that was written before it. */
  private async settle(sql: string): Promise<void> {
    if (this.journal.concerns(sql)) await this.move();
  }

  private move(): Promise<void> {
    this.moving ??= this.group.alone(async () => {
      try {
        await this.journal.move();
      } finally {
        this.moving = null;
      }
    });
    return this.moving;
  }

  private async inTransaction(run: () => Promise<void>): Promise<void> {
    try {
      await this.writer.run('BEGIN');
      try {
        await run();
        await this.writer.run('COMMIT');
      } catch (error) {
        // After a failed COMMIT nothing is left to roll back; the first error is the one that tells.
        await this.writer.run('ROLLBACK').catch(() => undefined);
        throw error;
      }
    } catch (error) {
      throw storeErrorFrom(error, this.file);
    }
  }

  private async withReader<T>(run: (reader: DuckDBConnection) => Promise<T>): Promise<T> {
    if (this.closing !== null) throw new StoreError('closed', `The store ${this.file} is closed already; repeat the command.`);
    const reader = await this.reader();
    try {
      return await run(reader);
    } catch (error) {
      throw storeErrorFrom(error, this.file);
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.idle.push(reader);
      else next(reader);
    }
  }

  private reader(): Promise<DuckDBConnection> {
    const reader = this.idle.pop();
    return reader === undefined ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve(reader);
  }
}

async function rowsOf(connection: DuckDBConnection, sql: string, params: readonly Param[]): Promise<readonly ResultRow[]> {
  const { values, types } = bindParams(params);
  const result = await connection.run(sql, values, types);
  const names = result.columnNames();
  const rows = await result.getRows();
  return rows.map((row) => Object.fromEntries(row.map((value, index) => [names[index] ?? '', cellFrom(value)])));
}

async function guardAgainstSecondStore(writer: DuckDBConnection, file: string): Promise<void> {
  try {
    await writer.run(`ATTACH ':memory:' AS ${GUARD}`);
  } catch (error) {
    if (!/already exists|already attached/i.test(String(error))) throw error;
    throw alreadyOpenError(file, error);
  }
}
