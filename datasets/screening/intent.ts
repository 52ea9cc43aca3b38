const REQUEST =
  /\b(?:please|pls|kindly|help(?: me)?|advi[sc]e|suggest(?:ions?)?|recommend(?:ations?)?|explain|tell me|let me know|show me|give me|guide me|i (?:need|want|would like|'d like|wish|have) to (?:know|find|learn|understand|make|write|get|ask)|i(?:'m| am)? (?:wonder(?:ing)?|looking for|trying to|unsure|not sure|confused|stuck)|any (?:ideas?|advice|suggestions?|help|thoughts?|tips)|is there (?:a|any)|your (?:opinion|thoughts|advice)|need (?:your )?(?:help|advice|a|an|some)|worried (?:about|that|if|whether)|(?:can|could|should|would|will|may|do|does|is|are) (?:i|you|we|it|this|there|she|he|they)\b)/i;
const INTERROGATIVE =
  /(?:^|[.!?\n:;,"]\s*|\b(?:and|but|so|or|hi|hello|doctor|also)[, ]+)(?:what|why|how|when|where|who|which|whose|can|could|should|would|will|is|are|am|do|does|did|has|have|may|must)\b/i;
const IMPERATIVE =
  /(?:^|[.!?\n:;]\s*|, |\b(?:and|then|to|must|should|will|you) )(?:write|implement|create|build|design|develop|modify|fix|complete|refactor|convert|calculate|compute|find|determine|print|return|output|count|generate|describe|compare|summari[sz]e|list|rewrite|draft|plan|translate|analy[sz]e|evaluate|optimi[sz]e|debug|define|provide|discuss|outline|come up|make|add|extend|solve|check|answer|identify|propose|edit|choose|pick|use|prepare|organi[sz]e|let's|imagine|act|give|recommend|paraphrase|elaborate|continue|share)\b/i;

/** Whether a text asks for something: a question mark, an interrogative at a clause start, or a request form. */
export function hasQuestionIntent(text: string): boolean {
  return text.includes('?') || INTERROGATIVE.test(text) || REQUEST.test(text) || IMPERATIVE.test(text);
}

/** Turns that only close a talk ("thanks, that helps!") ask nothing, whatever their punctuation. */
export function isClosing(text: string): boolean {
  const bare = text.trim();
  return (
    bare.length <= 200 &&
    !bare.includes('?') &&
    /^(?:(?:ok(?:ay)?|wow|oh|great|perfect|awesome|cool|alright|got it|nice|yes|sure)[,.! ]+)*(?:thanks?|thank you|that(?:'s| is| was| sounds)|this (?:is|was)|i (?:appreciate|love|like|will|'ll)|sounds|great|perfect|awesome|wow|bye|good ?bye)\b/i.test(
      bare,
    )
  );
}
