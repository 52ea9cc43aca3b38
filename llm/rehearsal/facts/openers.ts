const OPENER =
  /^(?:(?:hello|hi|hey|dear|respected|good (?:morning|evening|afternoon|day))\b[\s,]*(?:there|doctor|doctors|dr|sir|madam|everyone|all|team|folks|guys)?\b[\s,.!:]*|(?:doctor|doc|sir)\s*,\s*|(?:also|and|but|so|well|now|then|however|moreover|furthermore|besides|additionally|actually|basically|anyway|ok|okay|yes|no|hmm|oh|thus|thanks|thank you|unfortunately|fortunately|obviously|in addition|in fact|for context|for reference|for example|background|update|edit|note|ps|p\.s|first of all|first|secondly|finally|lastly|recently|currently|presently)\b\s*[,:.!]\s*|(?:also|and|but|so|then|now|plus|ok|okay)\s+(?=(?:for|from|during|in|on|after|before)\s)|(?:also|and|but|so|then|now|plus|ok|okay)\s+(?=(?:I|i|I'm|I've|my|My|we)\s))+/i;

/** How many characters of greeting or linking words stand before the statement itself. */
export function openerLength(text: string): number {
  return OPENER.exec(text)?.[0].length ?? 0;
}
