import { ORDERS_SQL } from './0001-orders.ts';
import { RUNS_SQL } from './0002-runs.ts';
import { LEDGER_SQL } from './0003-ledger.ts';
import { VERDICTS_SQL } from './0004-verdicts.ts';
import { JOURNAL_SQL } from './0005-journal.ts';
import { RELEASE_MEMBERS_SQL } from './0006-release-members.ts';
import { BATCHES_SQL } from './0007-batches.ts';
import { ROW_PLACES_SQL } from './0008-row-places.ts';
import { SCREENED_SQL } from './0009-screened.ts';
import { EXAMPLE_DIGESTS_SQL } from './0010-example-digests.ts';

/** One numbered step of the schema; once released its SQL never changes. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** All migrations in order; a file's schema version is how many of them it has. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-orders', sql: ORDERS_SQL },
  { name: '0002-runs', sql: RUNS_SQL },
  { name: '0003-ledger', sql: LEDGER_SQL },
  { name: '0004-verdicts', sql: VERDICTS_SQL },
  { name: '0005-journal', sql: JOURNAL_SQL },
  { name: '0006-release-members', sql: RELEASE_MEMBERS_SQL },
  { name: '0007-batches', sql: BATCHES_SQL },
  { name: '0008-row-places', sql: ROW_PLACES_SQL },
  { name: '0009-screened', sql: SCREENED_SQL },
  { name: '0010-example-digests', sql: EXAMPLE_DIGESTS_SQL },
];
