/** The three domains, in the order of the acceptance fold (SPEC §1). They stand apart from their schema, so that a short command need not load Zod. */
export const DOMAINS = ['health', 'general', 'coding'] as const;

/** How much a row asks for, as screening measures it. */
export const COMPLEXITIES = ['simple', 'medium', 'complex'] as const;
