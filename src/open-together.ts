/** Things that are of use only together: where one of them cannot be opened, those before it are freed again. */

type Free = () => void | Promise<void>;

/**
 * `open` says of each thing, once it has it, how it is freed. Rejects with what `open` rejected with, after all that was
 * opened is free, the newest first.
 */
export async function openTogether<T>(open: (freeBy: (free: Free) => void) => Promise<T>): Promise<T> {
  const held: Free[] = [];
  try {
    return await open((free) => void held.push(free));
  } catch (thrown) {
    for (const free of held.reverse()) {
      try {
        await free();
      } catch {
        // What went wrong first is what people are told.
      }
    }
    throw thrown;
  }
}
