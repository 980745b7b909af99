/** Discord's ids hold the moment in which they were made. https://docs.discord.com/developers/reference#snowflakes */
const EPOCH_MS = 1_420_070_400_000n;
const TIME_SHIFT = 22n;
/** How far Discord's clock, by which ids are made, may be behind ours. */
export const CLOCK_SKEW_MS = 5_000;

/** Epoch milliseconds. */
export function snowflakeTime(id: string): number {
  return Number((BigInt(id) >> TIME_SHIFT) + EPOCH_MS);
}

/** The lowest id that can be made at `at` (epoch milliseconds). */
export function snowflakeAt(at: number): string {
  const sinceEpoch = BigInt(Math.floor(at)) - EPOCH_MS;
  return (sinceEpoch > 0n ? sinceEpoch << TIME_SHIFT : 0n).toString();
}
