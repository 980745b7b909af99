/** Answers to interactions: the first one by callback, the later ones by the webhook of the interaction's token. */
import { refuse } from '../api-error.ts';
import { removeMessage } from '../change-message.ts';
import { answerInteraction, editAnswer, findByToken, findInteraction, followUp } from '../interactions.ts';
import { FLAG_EPHEMERAL, FLAG_LOADING, messageJson } from '../wire-message.ts';
import type { Interaction, Message } from '../world.ts';
import { type ApiRequest, bodyOf, nothing, ok, type RestSide, type Route } from './route.ts';

const IS_MESSAGE: ReadonlySet<number> = new Set([4, 5]);
/** A deferred answer is told of by its ids alone. */
const HAS_RESOURCE: ReadonlySet<number> = new Set([4, 7]);
const IS_UPDATE: ReadonlySet<number> = new Set([6, 7]);

function callbackJson({ platform }: RestSide, interaction: Interaction, type: number) {
  const { original } = interaction;
  const hasMessage = original && (IS_MESSAGE.has(type) || IS_UPDATE.has(type));
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      ...(hasMessage
        ? {
            response_message_id: original.id,
            response_message_loading: (original.flags & FLAG_LOADING) !== 0,
            response_message_ephemeral: (original.flags & FLAG_EPHEMERAL) !== 0,
          }
        : {}),
    },
    ...(hasMessage && HAS_RESOURCE.has(type)
      ? { resource: { type, message: messageJson(platform, original) } }
      : {}),
  };
}

function interactionOf({ platform }: RestSide, { params }: ApiRequest): Interaction {
  if (params.application !== platform.world.application.id) throw refuse(10015);
  return findByToken(platform, params.token ?? '');
}

function answerOf(interaction: Interaction, id: string): Message {
  const { original, followups } = interaction;
  const found = id === '@original' ? original : [original, ...followups].find((each) => each?.id === id);
  if (!found || found.isDeleted) throw refuse(10008);
  return found;
}

export const interactionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/interactions/:interaction/:token/callback',
    isOpen: true,
    run: (side, request) => {
      const { interaction: id = '', token = '' } = request.params;
      const interaction = findInteraction(side.platform, id, token);
      const body = bodyOf(request);
      answerInteraction(side.platform, interaction, { body, files: request.files });
      if (request.query.with_response !== 'true') return nothing;
      return ok(callbackJson(side, interaction, Number(body.type)));
    },
  },
  {
    method: 'POST',
    path: '/webhooks/:application/:token',
    isOpen: true,
    run: (side, request) => {
      const interaction = interactionOf(side, request);
      const message = followUp(side.platform, interaction, { body: bodyOf(request), files: request.files });
      return ok(messageJson(side.platform, message));
    },
  },
  {
    method: 'GET',
    path: '/webhooks/:application/:token/messages/:message',
    isOpen: true,
    run: (side, request) => {
      const message = answerOf(interactionOf(side, request), request.params.message ?? '');
      return ok(messageJson(side.platform, message));
    },
  },
  {
    method: 'PATCH',
    path: '/webhooks/:application/:token/messages/:message',
    isOpen: true,
    run: (side, request) => {
      const interaction = interactionOf(side, request);
      const message = answerOf(interaction, request.params.message ?? '');
      const edit = { body: bodyOf(request), files: request.files };
      editAnswer(side.platform, interaction, message, edit);
      return ok(messageJson(side.platform, message));
    },
  },
  {
    method: 'DELETE',
    path: '/webhooks/:application/:token/messages/:message',
    isOpen: true,
    run: (side, request) => {
      const message = answerOf(interactionOf(side, request), request.params.message ?? '');
      removeMessage(side.platform, message);
      return nothing;
    },
  },
];
