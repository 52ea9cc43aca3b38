/** One problem of a repair turn, as the user message names it. */
export interface Problem {
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The problems in a repair message, or null when the message is none. */
export function readProblems(content: string): readonly Problem[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return null;
  }
  const listed: unknown = parsed !== null && typeof parsed === 'object' && 'problems' in parsed ? parsed.problems : null;
  if (!Array.isArray(listed)) return null;
  return listed.map((item: unknown) => {
    const problem = item !== null && typeof item === 'object' ? item : {};
    return {
      rule: textOf('rule' in problem ? problem.rule : ''),
      path: textOf('path' in problem ? problem.path : ''),
      message: textOf('message' in problem ? problem.message : ''),
    };
  });
}

/** Places in a list that paths such as `atoms.2.text` or `atoms[2]` name. */
export function placesIn(problems: readonly Problem[], list: string): readonly number[] {
  return problems.flatMap(({ path }) => {
    const match = new RegExp(`(?:^|\\.)${list}(?:\\.|\\[)(\\d+)`).exec(path);
    return match?.[1] === undefined ? [] : [Number(match[1])];
  });
}
