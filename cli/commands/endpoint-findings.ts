import type { EndpointFacts } from '../../llm/probe.ts';
import type { RoleProbe } from '../owner/probe-roles.ts';
import type { Finding } from './doctor.ts';

/** A prompt with its reply takes up to about so many tokens. */
const WANTED_CONTEXT = 8192;

type Line = Omit<Finding, 'what'>;

const well = (detail: string): Line => ({ ok: true, detail, cure: '' });
const note = (detail: string, cure: string): Line => ({ ok: true, level: 'note', detail, cure });
const bad = (detail: string, cure: string): Line => ({ ok: false, detail, cure });

const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

function reachable({ baseUrl }: RoleProbe, facts: EndpointFacts): Line {
  if (facts.reachable) return well(`${baseUrl} answers`);
  return bad(
    facts.problem ?? `${baseUrl} does not answer`,
    'start the server, or correct baseUrl of this provider (it ends in /v1 for most)',
  );
}

function keyLine({ provider, local }: RoleProbe, facts: EndpointFacts): Line {
  if (facts.keyAccepted === true) return well(local ? 'accepted, or none needed' : 'accepted');
  if (facts.keyAccepted === false)
    return bad(
      `not accepted: ${facts.problem ?? 'HTTP 401'}`,
      `put a valid key into the variable that apiKeyEnv of ${provider} names, where the owner runs`,
    );
  return note('the endpoint did not say', 'see the lines below');
}

function modelLine({ model }: RoleProbe, facts: EndpointFacts): Line {
  if (facts.modelKnown === false)
    return bad(`${model} is not known there: ${facts.problem ?? 'it is not on the list'}`, 'correct the name in models');
  if (facts.modelKnown === null) return note(`nobody knows whether ${model} is there`, 'see the lines below');
  const alias = facts.returnedModel === null || facts.returnedModel === model ? '' : `, answers as ${facts.returnedModel}`;
  return well(`${model} is there${alias}`);
}

function schemaLine(probe: RoleProbe, facts: EndpointFacts): Line {
  const { wantedMode, before, provider } = probe;
  const mode = facts.structuredOutput;
  if (mode === null && /time/.test(facts.problem ?? ''))
    return bad(facts.problem ?? '', 'ask again when the server is idle; give it more slots, or set concurrency to what it has');
  if (mode === null)
    return bad(
      `no reply could be used: ${facts.problem ?? 'no mode worked'}`,
      'mend what the sentence names, then type `memcalib doctor --endpoints`',
    );
  const RUNGS = ['text', 'json_object', 'json_schema'];
  if (wantedMode !== 'auto' && RUNGS.indexOf(mode) < RUNGS.indexOf(wantedMode))
    return bad(`structuredOutput is ${wantedMode}, but only ${mode} works`, `set structuredOutput of ${provider} to '${mode}' or 'auto'`);
  const was = before?.structuredOutput ?? null;
  if (was !== null && was !== mode && wantedMode === 'auto')
    return note(
      `${mode}; it was ${was} on ${dayOf(before?.probedAt ?? 0)}`,
      `a new build asks everything anew; fix structuredOutput of ${provider} to stay with one`,
    );
  return facts.downgrade === null
    ? well(`${mode} is obeyed`)
    : note(facts.downgrade, 'serve the model with an engine that enforces schemas');
}

function thinkingLine({ wantsNoThinking }: RoleProbe, facts: EndpointFacts): Line {
  if (facts.thinkingOff === null) return note('unknown: no reply could be used', 'see the lines above');
  if (facts.thinkingOff) return well('replies come without thinking');
  const cure =
    'set extra of this role as docs/models.md says for the provider (such as { enable_thinking: false }); thinking is billed and nobody reads it';
  return wantsNoThinking ? bad('thinking is on although extra asks for none', cure) : note('thinking is on', cure);
}

function contextLine(facts: EndpointFacts): Line {
  if (facts.contextLength === null) return note('the endpoint does not tell it', `make sure that it is ${WANTED_CONTEXT} tokens or more`);
  if (facts.contextLength >= WANTED_CONTEXT) return well(`${facts.contextLength} tokens`);
  return bad(`${facts.contextLength} tokens`, `serve the model with ${WANTED_CONTEXT} or more, or long rows fail`);
}

function priceLine({ price, provider, model }: RoleProbe): Line {
  if (price !== null) return well(`$${price.inputPerMillionUsd} in, $${price.outputPerMillionUsd} out per million tokens`);
  return note(
    'unknown: costs are shown as "at least", and caps do not hold',
    `add '${provider}/${model}' to prices (0 when it costs nothing)`,
  );
}

function latencyLine(facts: EndpointFacts): Line {
  return facts.latencyMs === null ? note('not measured', 'see the lines above') : well(`${seconds(facts.latencyMs)} for one short reply`);
}

/** The lines of the doctor on the endpoint and model of a role: each well, a note, or bad with its cure. */
export function endpointFindings(probe: RoleProbe): readonly Finding[] {
  const who = probe.roles.join(', ');
  const name = `${who} (${probe.provider}/${probe.model})`;
  const { facts } = probe;
  if (probe.refusal !== null) return [{ what: name, ...bad(probe.refusal, 'mend what the sentence names') }];
  if (facts === null)
    return [
      {
        what: name,
        ...note(
          `${probe.baseUrl} was not asked`,
          'type `memcalib doctor --endpoints`: at most three tiny calls per model, which the provider may bill',
        ),
      },
    ];
  const first = probe.asked
    ? []
    : [{ what: name, ...well(`as found on ${dayOf(facts.probedAt)}; \`memcalib doctor --endpoints\` asks again (a few tiny paid calls)`) }];
  const lines: readonly (readonly [string, Line])[] = [
    ['reachable', reachable(probe, facts)],
    ...(facts.reachable
      ? ([
          ['key', keyLine(probe, facts)],
          ['model', modelLine(probe, facts)],
          ['schemas', schemaLine(probe, facts)],
          ['thinking', thinkingLine(probe, facts)],
          ['context', contextLine(facts)],
        ] as const)
      : []),
    ['price', priceLine(probe)],
    ...(facts.reachable ? ([['latency', latencyLine(facts)]] as const) : []),
  ];
  return [...first, ...lines.map(([what, line]) => ({ what: `${name} ${what}`, ...line }))];
}
