import type { JsonObject, JsonValue } from '../../schemas/json.ts';
import type { ContextTurn } from '../../schemas/source-row.ts';
import { normaliseProse } from '../normalise.ts';
import { hasColumn, idOf, isObject, rejected, textOf, wrongColumns, type AdapterContext, type AdapterResult } from './adapter.ts';
import { dialogueRow } from './dialogue.ts';

interface Turn {
  readonly isPatient: boolean;
  readonly text: string;
}

/** Speakers are class labels (0 = patient) or words. */
function isPatientTurn(speaker: JsonValue | undefined): boolean {
  return speaker === 0 || (typeof speaker === 'string' && /^(?:patient|0)$/i.test(speaker));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** Turns of the script-based hub dataset: a columnar struct of two lists, a list of turns, or texts that begin with the speaker. */
function turnsOf(row: JsonObject): readonly Turn[] {
  const turns = row['dialogue_turns'];
  if (isObject(turns)) {
    const utterances = listOf(turns['utterance']);
    return listOf(turns['speaker']).map((speaker, at) => ({
      isPatient: isPatientTurn(speaker),
      text: typeof utterances[at] === 'string' ? utterances[at] : '',
    }));
  }
  return [...listOf(turns), ...listOf(row['utterances'])].map((turn) => {
    if (isObject(turn)) return { isPatient: isPatientTurn(turn['speaker']), text: textOf(turn, 'utterance') ?? '' };
    const match = /^\s*(patient|doctor)\s*:\s*([\s\S]*)$/i.exec(typeof turn === 'string' ? turn : '');
    return { isPatient: /^patient$/i.test(match?.[1] ?? ''), text: match?.[2] ?? '' };
  });
}

function fromTurns(row: JsonObject, context: AdapterContext): AdapterResult {
  const turns = turnsOf(row).filter((turn) => turn.text.trim() !== '');
  const answerAt = turns.findLastIndex((turn, at) => !turn.isPatient && turns[at - 1]?.isPatient === true);
  if (answerAt < 0)
    return rejected(
      context,
      turns.some((turn) => turn.isPatient) ? 'missing_answer' : 'missing_question',
      'No patient turn is followed by a doctor.',
    );
  const earlier = turns
    .slice(0, answerAt - 1)
    .map((turn): ContextTurn => ({ speaker: turn.isPatient ? 'user' : 'assistant', text: normaliseProse(turn.text) }));
  const nativeId = idOf(row, 'dialogue_id');
  return dialogueRow(context, {
    idPrefix: 'meddialog',
    ...(nativeId === null ? {} : { nativeId }),
    description: textOf(row, 'description', 'Description') ?? '',
    question: turns[answerAt - 1]?.text ?? '',
    answer: turns[answerAt]?.text ?? '',
    earlier,
    metadata: { dialogueUrl: textOf(row, 'dialogue_url') },
  });
}

/** MedDialog in any of its shapes: hub columns, Description/Patient/Doctor, Question/Patient/Answer, or lists of turns. */
export function readMedDialog(row: JsonObject, context: AdapterContext): AdapterResult {
  if (hasColumn(row, 'dialogue_turns', 'utterances')) return fromTurns(row, context);
  if (!hasColumn(row, 'patient_message', 'Patient'))
    return wrongColumns(context, 'patient_message, doctor_response (or Description, Patient, Doctor)', row);
  const earlier = textOf(row, 'dialogue_context');
  return dialogueRow(context, {
    idPrefix: 'meddialog',
    description: textOf(row, 'Description', 'Question') ?? '',
    question: textOf(row, 'patient_message', 'Patient') ?? '',
    answer: textOf(row, 'doctor_response', 'Doctor', 'Answer') ?? '',
    ...(earlier === null ? {} : { earlier: [{ speaker: 'other' as const, text: normaliseProse(earlier) }] }),
    metadata: {},
  });
}
