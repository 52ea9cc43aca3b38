import type { Speaker } from '../../schemas/source-row.ts';
import type { Breach } from '../settle.ts';
import { claimsFromAssistant } from './assistant-claim.ts';
import { firstPerson } from './first-person.ts';
import { relativeDates } from './relative-dates.ts';

/** What every memory text must keep to, passage or atom: third person, no date that goes stale, no claim from an assistant turn alone. */
export function memoryTextBreaches(text: string, speakers: readonly Speaker[], path: string): readonly Breach[] {
  const breaches: Breach[] = [];
  const own = firstPerson(text);
  if (text.trim() === '') breaches.push({ rule: 'empty_text', path, message: 'The text is empty.' });
  if (own.length > 0)
    breaches.push({
      rule: 'first_person',
      path,
      message: `"${own.join('", "')}" is first person. Write in the third person: "The user ...", "The user's ...".`,
    });
  const stale = relativeDates(text);
  if (stale.length > 0)
    breaches.push({
      rule: 'relative_date',
      path,
      message: `"${stale.join('", "')}" goes stale. Say "recent", give a duration ("for two weeks") or leave the time out.`,
    });
  if (claimsFromAssistant(text, speakers))
    breaches.push({
      rule: 'assistant_claim',
      path,
      message:
        'Only an assistant turn supports this. Write what the user was told or was given ("The user was told that ..."), or leave it out.',
    });
  return breaches;
}
