/** Application commands, global and of one guild. */
import { refuse } from '../api-error.ts';
import { changeCommand, commandsIn, putCommand, replaceCommands } from '../commands.ts';
import type { Command, Json } from '../world.ts';
import { type ApiRequest, bodyOf, guildOf, nothing, ok, type RestSide, type Route } from './route.ts';

function scopeOf(side: RestSide, request: ApiRequest) {
  if (request.params.application !== side.platform.world.application.id) throw refuse(20012);
  return request.params.guild === undefined ? {} : { guildId: guildOf(side, request).id };
}

function commandOf(side: RestSide, request: ApiRequest): Command {
  const { guildId } = scopeOf(side, request);
  const command = side.platform.world.commands.get(request.params.command ?? '');
  if (!command || command.guildId !== guildId) throw refuse(10063);
  return command;
}

const routesBelow = (base: string): readonly Route[] => [
  {
    method: 'GET',
    path: base,
    run: (side, request) =>
      ok(commandsIn(side.platform, scopeOf(side, request)).map(({ definition }) => definition)),
  },
  {
    method: 'POST',
    path: base,
    run: (side, request) => {
      side.commandWrites.count += 1;
      const scope = scopeOf(side, request);
      const { command, isNew } = putCommand(side.platform, side.commandWrites, scope, bodyOf(request));
      return ok(command.definition, isNew ? 201 : 200);
    },
  },
  {
    method: 'PUT',
    path: base,
    run: (side, request) => {
      side.commandWrites.count += 1;
      const bodies = Array.isArray(request.body) ? (request.body as Json[]) : [];
      const kept = replaceCommands(side.platform, side.commandWrites, scopeOf(side, request), bodies);
      return ok(kept.map(({ definition }) => definition));
    },
  },
  {
    method: 'GET',
    path: `${base}/:command`,
    run: (side, request) => ok(commandOf(side, request).definition),
  },
  {
    method: 'PATCH',
    path: `${base}/:command`,
    run: (side, request) => {
      side.commandWrites.count += 1;
      return ok(changeCommand(side.platform, commandOf(side, request), bodyOf(request)).definition);
    },
  },
  {
    method: 'DELETE',
    path: `${base}/:command`,
    run: (side, request) => {
      side.commandWrites.count += 1;
      side.platform.world.commands.delete(commandOf(side, request).id);
      side.platform.changed();
      return nothing;
    },
  },
];

export const commandRoutes: readonly Route[] = [
  ...routesBelow('/applications/:application/commands'),
  ...routesBelow('/applications/:application/guilds/:guild/commands'),
];
