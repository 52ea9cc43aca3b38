import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const markupTo = (port: number): string =>
  `<script>document.title = "ran"</script><img src="http://127.0.0.1:${port}/x" onerror="document.title = 1">`;

it.skipIf(CHROMIUM === undefined)(
  'the report is shown by a browser at 1280 and 390 pixels and runs nothing of what stands in a row (skipped without Chromium)',
  async () => {
    const at = folder();
    let requests = 0;
    const server = createServer().on('connection', (socket) => {
      requests += 1;
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const MARKUP = markupTo((server.address() as AddressInfo).port);
    const rows = Array.from({ length: 6 }, (_item, n) => ({
      problem: `${MARKUP} What should row ${n} do with ${MARKUP}?`,
      solution: 'no',
      raw_index: n,
      index: n,
    }));
    writeFileSync(join(at, 'rows.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
    const config = {
      name: 'page',
      target: { health: 0, general: 0, coding: 2 },
      sources: [{ name: MARKUP.replace(/[^a-z]/g, ''), adapter: 'magicoder', path: 'rows.jsonl' }],
    };
    writeFileSync(join(at, 'c.json'), JSON.stringify(config));
    expect((await runCommand(['sources', 'report', '--html', 'report.html', '--config', 'c.json'], at)).code).toBe(0);
    mkdirSync(join(at, 'profile'));
    for (const width of [1280, 390]) {
      const args = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(at, 'profile')}`, `--window-size=${width},900`];
      const shown = spawnSync(CHROMIUM ?? '', [...args, '--dump-dom', `file://${join(at, 'report.html')}`], {
        encoding: 'utf8',
        timeout: 60_000,
      });
      expect(shown.stdout).toContain('&lt;script&gt;document.title');
      expect(shown.stdout).toContain('<title>Sources of page</title>');
      expect(shown.stdout).not.toMatch(/<img|<script/);
      expect(shown.stdout.match(/<svg/g)?.length).toBeGreaterThan(5);
    }
    // Whatever was asked meanwhile waits at the socket.
    await setTimeout(200);
    server.close();
    expect(requests).toBe(0);
  },
);
