import { hostname, userInfo } from 'node:os';

/** Account and machine of whoever types, for the history of builds. */
export function startedBy(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // An account without an entry in the user database.
    return `${process.env['USER'] ?? 'unknown'}@${hostname()}`;
  }
}
