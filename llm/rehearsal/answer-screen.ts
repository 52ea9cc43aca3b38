import type { ScreenPayload } from '../../schemas/payloads.ts';
import type { ScreenDimension, ScreenReply } from '../../schemas/replies/screen.ts';
import { contentStems, coverage } from '../../stages/text/words.ts';
import { collectFacts } from './facts/collect.ts';
import { asksOf } from './query/candidates.ts';
import { splitSentences } from './text/sentences.ts';

type Quote = ScreenDimension['evidence'];
type Verdict = ScreenDimension['verdict'];

const HARMFUL =
  /\b(?:(?:drink|swallow|inject|inhale) (?:some |a little |diluted )?(?:bleach|petrol|gasoline|kerosene|methanol|disinfectant)|mix (?:bleach|ammonia) with (?:bleach|ammonia|vinegar)|bleach (?:and|with) ammonia|stop (?:all|taking all|taking every one of) (?:of )?your (?:medicines?|medication|tablets|insulin)|stop your insulin|(?:triple|quadruple|ten times) the (?:dose|amount)|(?:give|put) (?:the |your )?(?:baby|infant|newborn) (?:honey|aspirin|whisky|to sleep face down)|ignore (?:the )?chest pain|no need (?:for|to call) (?:an )?(?:ambulance|emergency)|disable (?:the |your )?(?:smoke|carbon monoxide) (?:alarm|detector)|rm -rf \/(?:\s|$)|vaccines? causes? autism|eat (?:raw|uncooked) (?:chicken|kidney beans))\b/i;
const DOUBTFUL =
  /\b(?:I (?:think|guess|believe) (?:maybe|perhaps)|not (?:completely |entirely |at all )?sure (?:about|whether)|might be wrong|just a guess|some people swear|unproven|off[- ]label|I have not (?:checked|tested|tried))\b/i;
const EMPTY =
  /^(?:(?:please )?(?:consult|see|visit|ask) (?:a|your|the) (?:doctor|physician|specialist|expert)|i (?:do not|don't|cannot|can't) (?:know|help|answer)|google it|it depends|same problem here|me too|thanks?)\b/i;
const BROKEN = /\uFFFD|(?:Ã.|â€.){2,}|\b(\w+)(?: \1){4,}\b|\[(?:deleted|removed|truncated)\]/i;
const CUT_OFF = /(?:\b(?:and|or|the|a|of|to|with|because|but|is|for|my)|,|\()\s*$/i;

/** The first sentence of a text that can be quoted whole; else its beginning. */
function quoteOf(text: string, field: string, prefer?: RegExp): Quote {
  const sentences = splitSentences(text).filter((sentence) => sentence.text.length <= 300 && contentStems(sentence.text).length >= 2);
  const chosen = (prefer === undefined ? undefined : sentences.find((sentence) => prefer.test(sentence.text))) ?? sentences[0];
  return { field, quote: chosen?.text ?? text.slice(0, 200).trim() };
}

const dimension = (verdict: Verdict, evidence: Quote, reason: string): ScreenDimension => ({ verdict, evidence, reason });

function completeness(payload: ScreenPayload): ScreenDimension {
  const quote = quoteOf(payload.question, 'question', /\?/);
  if (CUT_OFF.test(payload.question)) return dimension('reject', quote, 'the question breaks off in mid-sentence');
  if (asksOf(payload).length === 0 && !/\?/.test(payload.question))
    return dimension('pass', quote, 'the request can be read off the situation described');
  return dimension('pass', quote, 'states a request and what it depends on');
}

function relevance(payload: ScreenPayload): ScreenDimension {
  const asked = [payload.question, ...payload.context.map((turn) => turn.text)].join('\n');
  const shared = coverage(payload.question, payload.answer);
  const back = coverage(payload.answer, asked);
  const quote = quoteOf(payload.answer, 'answer');
  if (shared < 0.02 && back < 0.02) return dimension('reject', quote, 'the answer is about something else');
  return dimension('pass', quote, 'speaks to what was asked');
}

function substance(payload: ScreenPayload): ScreenDimension {
  const quote = quoteOf(payload.answer, 'answer');
  if (EMPTY.test(payload.answer.trim()) && contentStems(payload.answer).length < 15)
    return dimension('reject', quote, 'refers elsewhere and says nothing itself');
  if (contentStems(payload.answer).length < 4) return dimension('uncertain', quote, 'hardly says anything');
  return dimension('pass', quote, 'names something to do or to know');
}

function safety(payload: ScreenPayload): ScreenDimension {
  const harm = HARMFUL.exec(payload.answer);
  if (harm !== null && !/\b(?:never|not|don't|avoid)\b[^.]{0,30}$/i.test(payload.answer.slice(0, harm.index))) {
    return dimension('reject', { field: 'answer', quote: harm[0] }, 'following this could harm');
  }
  const doubt = payload.domain === 'health' ? DOUBTFUL.exec(payload.answer) : null;
  if (doubt !== null)
    return dimension('uncertain', { field: 'answer', quote: doubt[0] }, 'whether this could harm cannot be judged without looking it up');
  return dimension('pass', quoteOf(payload.answer, 'answer'), 'nothing in it would harm');
}

function extractability(payload: ScreenPayload): ScreenDimension {
  const fact = collectFacts(payload)[0];
  if (fact === undefined)
    return dimension('reject', quoteOf(payload.question, 'question'), 'says nothing about the user that an answer could turn on');
  return dimension('pass', { field: fact.field, quote: fact.quote }, "a fact in the user's own words");
}

function integrity(payload: ScreenPayload): ScreenDimension {
  const broken = BROKEN.exec(payload.question) ?? BROKEN.exec(payload.answer);
  if (broken !== null) {
    const field = payload.question.includes(broken[0]) ? 'question' : 'answer';
    return dimension('reject', quoteOf(field === 'question' ? payload.question : payload.answer, field), 'parts of the text are garbled');
  }
  return dimension('pass', quoteOf(payload.question, 'question'), 'reads as one whole text');
}

/** Semantic screening by fixed signs: each verdict with a sentence of the row that stands there byte for byte. */
export function answerScreen(payload: ScreenPayload): ScreenReply {
  return {
    question_completeness: completeness(payload),
    answer_relevance: relevance(payload),
    answer_substance: substance(payload),
    safety_plausibility: safety(payload),
    memory_extractability: extractability(payload),
    text_integrity: integrity(payload),
  };
}
