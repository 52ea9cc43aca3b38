/** What an owner serves with, loaded while its Temporal server starts: reading these modules takes as long as the server does. */
export { createBuilds } from './builds.ts';
export { startEngine } from './engine.ts';
export { startHttpApi } from './http-api.ts';
export { ownerCommands } from './owner-commands.ts';
