/**
 * What a channel adapter must remember across restarts, such as a preview that it still has to clean up. Each account has
 * its own; keys and values are text of the adapter's choosing. Nothing that the engine relies on is kept here.
 */
export interface AdapterMemory {
  /** Keys that begin with `prefix`, in order, with their values. */
  list(prefix: string): Promise<readonly { readonly key: string; readonly value: string }[]>;
  set(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
}
