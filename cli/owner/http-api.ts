import { createHash, timingSafeEqual } from 'node:crypto';
import { serve } from '@hono/node-server';
import type { ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { EXIT } from '../cli-error.ts';
import { toldError } from '../told-error.ts';

/** A command the owner answers: JSON in, JSON out. */
export type ApiCommand = (args: Readonly<Record<string, unknown>>) => Promise<unknown>;

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compares in constant time whatever the lengths are. */
function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** The owner's loopback API. Loopback is no authentication: Host, Origin and a bearer token are checked on every route. */
export function startHttpApi(options: {
  readonly token: string;
  readonly commands: Readonly<Record<string, ApiCommand>>;
  /** Called when a request begins and when it has been answered. */
  readonly onRequest: (step: 'begin' | 'end') => void;
  /** Called with an error nobody has a sentence for. */
  readonly onFault: (command: string, error: unknown) => void;
}): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const app = new Hono();
  let port = 0;
  app.use('*', async (context, next) => {
    const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
    const origin = context.req.header('origin');
    if (!hosts.includes(context.req.header('host') ?? '')) return context.json({ error: 'wrong host', exitCode: EXIT.usage }, 403);
    if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`))
      return context.json({ error: 'wrong origin', exitCode: EXIT.usage }, 403);
    if (!sameSecret(context.req.header('authorization') ?? '', `Bearer ${options.token}`))
      return context.json({ error: 'wrong token', exitCode: EXIT.usage }, 401);
    options.onRequest('begin');
    try {
      await next();
    } finally {
      options.onRequest('end');
    }
    return undefined;
  });
  app.post('/api/:command', async (context) => {
    const name = context.req.param('command');
    const command = Object.hasOwn(options.commands, name) ? options.commands[name] : undefined;
    if (command === undefined) return context.json({ error: `no such command ${name}`, exitCode: EXIT.usage }, 404);
    try {
      const args = await context.req.json<unknown>().catch(() => null);
      if (typeof args !== 'object' || args === null)
        return context.json({ error: 'the body is no JSON object', exitCode: EXIT.usage }, 400);
      return context.json({ value: (await command(args as Record<string, unknown>)) ?? null });
    } catch (error) {
      const told = toldError(error);
      if (told !== null) return context.json({ error: told.sentence, exitCode: told.exitCode }, 422);
      options.onFault(name, error);
      return context.json(
        {
          error: `internal error in ${name}: ${error instanceof Error ? error.message : String(error)}. See logs/owner.log in the project folder.`,
          exitCode: EXIT.internal,
        },
        500,
      );
    }
  });
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (address) => {
      port = address.port;
      resolve({ port, close: () => closeServer(server) });
    });
  });
}

/** Lets open requests be answered and drops each connection once it is idle: a client that polls on a kept-alive one would hold it for ever. */
function closeServer(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    const dropIdle = setInterval(() => {
      if ('closeIdleConnections' in server) server.closeIdleConnections();
    }, 20);
    server.close(() => {
      clearInterval(dropIdle);
      resolve();
    });
  });
}
