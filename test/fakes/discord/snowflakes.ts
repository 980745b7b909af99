/** Ids as Discord makes them: a time in the upper bits, a counter below, each greater than the one before. */
export type Snowflake = string;

export const DISCORD_EPOCH_MS = 1_420_070_400_000;

export function createSnowflakes(now: () => number): () => Snowflake {
  let last = 0n;
  return () => {
    const fresh = BigInt(Math.max(0, now() - DISCORD_EPOCH_MS)) << 22n;
    last = fresh > last ? fresh : last + 1n;
    return last.toString();
  };
}

/** When the thing with that id was made, in epoch ms. */
export const snowflakeAt = (id: Snowflake): number => Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;
