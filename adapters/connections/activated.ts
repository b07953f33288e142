// Sockets that the service manager has opened (sd_listen_fds(3)). The service then needs no permission for ports below 1024, and no connection is
// refused while it restarts.

/** The names of sockets, as in `FileDescriptorName=`. */
export const SOCKET_NAMES = ['api', 'edge-http', 'edge-https'] as const;
export type SocketName = (typeof SOCKET_NAMES)[number];

/** Descriptors of sockets that are listening, by name. */
export type ActivatedSockets = Readonly<Partial<Record<SocketName, number>>>;

/** The first descriptor (SD_LISTEN_FDS_START). */
const FIRST = 3;

/** Returns the sockets passed to a process. @returns a problem for operators if a socket has an unknown name, or two have the same name */
export function activatedSockets(
  { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' }: Readonly<Record<string, string | undefined>>,
  pid: number,
): { readonly sockets: ActivatedSockets; readonly problem: string | undefined } {
  // The variables were meant for a parent process, and are only inherited.
  if (LISTEN_PID !== String(pid) || LISTEN_FDS === undefined) return { sockets: {}, problem: undefined };
  const names = LISTEN_FDNAMES.split(':');
  const given = Array.from({ length: Number(LISTEN_FDS) }, (_, index) => names[index] ?? '');
  const sockets: Partial<Record<SocketName, number>> = {};
  for (const [index, name] of given.entries()) {
    if (!isSocketName(name) || sockets[name] !== undefined)
      return {
        sockets: {},
        problem: `LISTEN_FDNAMES: got ${JSON.stringify(LISTEN_FDNAMES)}; allowed: ${SOCKET_NAMES.join(', ')}, each once (FileDescriptorName= of the socket units)`,
      };
    sockets[name] = FIRST + index;
  }
  return { sockets, problem: undefined };
}

function isSocketName(name: string): name is SocketName {
  return (SOCKET_NAMES as readonly string[]).includes(name);
}
