// Messages over TCP, each behind its length (RFC 1035, section 4.2.2). dns-packet's `streamEncode` writes them. Its `streamDecode` does not
// read them here: it decodes past the message's end into what follows, before any bound could be checked, and does not say where the next begins.

/** The first whole message of what has come in, and what is behind it; undefined until all of it is there. */
export function firstMessage(received: Buffer): { readonly message: Buffer; readonly rest: Buffer } | undefined {
  if (received.byteLength < 2) return undefined;
  const end = 2 + received.readUInt16BE();
  return received.byteLength < end ? undefined : { message: received.subarray(2, end), rest: received.subarray(end) };
}
