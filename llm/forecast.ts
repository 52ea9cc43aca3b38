/** Where a running piece of work stands. Times in milliseconds, money in micro-USD. */
export interface Running {
  readonly doneUnits: number;
  readonly leftUnits: number;
  readonly elapsedMs: number;
  readonly spentMicroUsd: number;
  /** Calls whose cost nobody knows: then every figure is "at least". */
  readonly unknownCalls: number;
}

/** What the rest will take if it goes on like this; null before there is a rate. The range is ± twice the standard error of a count. */
export interface Forecast {
  readonly lowMicroUsd: number;
  readonly highMicroUsd: number;
  readonly leftMs: number;
  readonly atLeast: boolean;
}

/** Extrapolates cost and time of the whole from the work done so far. */
export function forecast(running: Running): Forecast | null {
  if (running.doneUnits <= 0 || running.elapsedMs <= 0) return null;
  const perUnit = running.spentMicroUsd / running.doneUnits;
  const spread = Math.min(1, 2 / Math.sqrt(running.doneUnits));
  const rest = perUnit * running.leftUnits;
  return {
    lowMicroUsd: Math.round(running.spentMicroUsd + rest * (1 - spread)),
    highMicroUsd: Math.round(running.spentMicroUsd + rest * (1 + spread)),
    leftMs: Math.round((running.elapsedMs / running.doneUnits) * running.leftUnits),
    atLeast: running.unknownCalls > 0,
  };
}

/** The forecast as a sentence: "at this rate $41-47, 2 h 10". */
export function forecastSentence(value: Forecast): string {
  const minutes = Math.round(value.leftMs / 60_000);
  const time = minutes >= 60 ? `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}` : `${minutes} min`;
  const [low, high] = [dollars(value.lowMicroUsd), dollars(value.highMicroUsd)];
  return `at this rate ${value.atLeast ? 'at least ' : ''}$${low === high ? low : `${low}-${high}`}, ${time}`;
}

function dollars(microUsd: number): string {
  const usd = microUsd / 1e6;
  return usd >= 10 ? usd.toFixed(0) : usd.toFixed(2);
}
