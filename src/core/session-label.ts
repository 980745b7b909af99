/** What people call a session. */
export function labelOf(session: {
  readonly label?: string;
  readonly taskName?: string;
  readonly ordinal?: number;
  readonly displayName?: string;
  readonly agentId: string;
}): string {
  const given = session.label ?? session.taskName;
  if (given !== undefined) return given;
  return session.ordinal === undefined
    ? (session.displayName ?? session.agentId)
    : `subagent ${session.ordinal}`;
}
