/** Where things are in the page. Names match `[a-z0-9_-]`, so they need no escaping. */
export function channelPath(conversation: string): string {
  return `/c/${conversation}`;
}

export function threadPath(conversation: string, thread: string): string {
  return `/c/${conversation}/t/${thread}`;
}
