/** The statements of the web chat's store. */
import { listed, statement } from '../statement.ts';

export const insertConversation = statement<{ name: string }>()((db, arg) =>
  db
    .insertInto('chat_conversations')
    .values({ name: arg('name') })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

export const selectConversations = statement()((db) =>
  db.selectFrom('chat_conversations').select('name').orderBy('seq'),
);

export const insertMessage = statement<{
  id: string;
  conversation: string;
  thread: string | null;
  authorKind: string;
  authorName: string;
  text: string;
  at: number;
  card: string | null;
  needsAdmission: number;
}>()((db, arg) =>
  db
    .insertInto('chat_messages')
    .values({
      id: arg('id'),
      conversation: arg('conversation'),
      thread: arg('thread'),
      author_kind: arg('authorKind'),
      author_name: arg('authorName'),
      text: arg('text'),
      at: arg('at'),
      card: arg('card'),
      needs_admission: arg('needsAdmission'),
    })
    .returningAll(),
);

export const selectMessage = statement<{ id: string }>()((db, arg) =>
  db.selectFrom('chat_messages').selectAll().where('id', '=', arg('id')),
);

interface Place extends Record<string, string | number | null> {
  conversation: string;
  thread: string | null;
  limit: number;
}

export const selectMessagesAfter = statement<Place & { after: number }>()((db, arg) =>
  db
    .selectFrom('chat_messages')
    .selectAll()
    .where('conversation', '=', arg('conversation'))
    .where('thread', 'is', arg('thread'))
    .where('seq', '>', arg('after'))
    .orderBy('seq')
    .limit(arg('limit')),
);

export const selectNewestMessages = statement<Place>()((db, arg) =>
  db
    .selectFrom('chat_messages')
    .selectAll()
    .where('conversation', '=', arg('conversation'))
    .where('thread', 'is', arg('thread'))
    .orderBy('seq', 'desc')
    .limit(arg('limit')),
);

export const updateMessage = statement<{ id: string; text: string; card: string | null }>()((db, arg) =>
  db
    .updateTable('chat_messages')
    .set({ text: arg('text'), card: arg('card') })
    .where('id', '=', arg('id'))
    .returningAll(),
);

export const selectUnadmitted = statement()((db) =>
  db
    .selectFrom('chat_messages')
    .selectAll()
    .where((where) => where('needs_admission', '=', where.lit(1)))
    .orderBy('seq'),
);

export const markAdmitted = statement<{ ids: string }>()((db, arg) =>
  db
    .updateTable('chat_messages')
    .set({ needs_admission: 0 })
    .where('id', 'in', listed(arg('ids'))),
);

export const insertThread = statement<{
  id: string;
  conversation: string;
  title: string;
  isArchived: number;
  createdAt: number;
}>()((db, arg) =>
  db.insertInto('chat_threads').values({
    id: arg('id'),
    conversation: arg('conversation'),
    title: arg('title'),
    is_archived: arg('isArchived'),
    created_at: arg('createdAt'),
  }),
);

export const selectThread = statement<{ id: string }>()((db, arg) =>
  db.selectFrom('chat_threads').selectAll().where('id', '=', arg('id')),
);

export const selectThreads = statement<{ conversation: string }>()((db, arg) =>
  db.selectFrom('chat_threads').selectAll().where('conversation', '=', arg('conversation')).orderBy('seq'),
);

export const updateArchived = statement<{ id: string; isArchived: number }>()((db, arg) =>
  db
    .updateTable('chat_threads')
    .set({ is_archived: arg('isArchived') })
    .where('id', '=', arg('id'))
    .where('is_archived', '<>', arg('isArchived'))
    .returningAll(),
);

export const insertEvent = statement<{
  type: string;
  conversation: string;
  thread: string | null;
  data: string;
}>()((db, arg) =>
  db.insertInto('chat_events').values({
    type: arg('type'),
    conversation: arg('conversation'),
    thread: arg('thread'),
    data: arg('data'),
  }),
);

export const selectEventsAfter = statement<{ after: number; limit: number }>()((db, arg) =>
  db.selectFrom('chat_events').selectAll().where('seq', '>', arg('after')).orderBy('seq').limit(arg('limit')),
);

export const selectLastEvent = statement()((db) =>
  db.selectFrom('chat_events').select('seq').orderBy('seq', 'desc').limit(1),
);
