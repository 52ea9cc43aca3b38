import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../cli/commands/catalog.ts';
import { completeCommands, takenFlags } from '../../../cli/commands/told-commands.ts';

const given = (options: Readonly<Record<string, unknown>>) => ({ options, positional: [], takenFlags: takenFlags(COMMANDS) });
const ODD = given({ config: 'odd.json', label: 'trial' });

describe('a command that a sentence tells to type is complete', () => {
  it.each<[string, string, string]>([
    ['takes both', 'Type `memcalib build` again.', 'Type `memcalib build --config odd.json --label trial` again.'],
    ['takes no label', '`memcalib doctor --endpoints` tells.', '`memcalib doctor --endpoints --config odd.json` tells.'],
    ['takes neither', 'Type `memcalib init --force`.', 'Type `memcalib init --force`.'],
    ['stands at the end', 'then type: memcalib resume.', 'then type: memcalib resume --config odd.json --label trial.'],
    [
      'stands beside another',
      'type: memcalib cancel, then: memcalib build (nothing)',
      'type: memcalib cancel --config odd.json --label trial, then: memcalib build --config odd.json --label trial (nothing)',
    ],
    ['has them already', 'memcalib export --config odd.json --label trial', 'memcalib export --config odd.json --label trial'],
    ['has an argument', '`memcalib retry --failed network`', '`memcalib retry --failed network --config odd.json --label trial`'],
    [
      'is told of',
      'held by pid 12 (memcalib build) and pid 13 (`memcalib up`, since',
      'held by pid 12 (memcalib build) and pid 13 (`memcalib up`, since',
    ],
    ['is none', 'memcalib nonsense, memcalib: no', 'memcalib nonsense, memcalib: no'],
  ])('when it %s', (_, before, after) => {
    expect(completeCommands(before, ODD)).toBe(after);
    expect(completeCommands(after, ODD)).toBe(after);
    expect(completeCommands(before, given({ label: 'main' }))).toBe(before);
  });

  it('takes --trust along and names the config that was given, but changes no path', () => {
    const trusted = given({ config: '/x/memcalib.config.ts', trust: true });
    expect(completeCommands('set projectDir in memcalib.config.ts, then `memcalib status`', trusted)).toBe(
      'set projectDir in /x/memcalib.config.ts, then `memcalib status --config /x/memcalib.config.ts --trust`',
    );
    expect(completeCommands('/x/memcalib.config.ts: no field', trusted)).toBe('/x/memcalib.config.ts: no field');
  });
});
