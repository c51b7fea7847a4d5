/** What a server of ours accepts as a body, less room for the other fields and their names. */
export const MAX_BODY_BYTES = 1024 * 1024 - 4096;
/** How much of a message the service compares with what it remembers. */
export const MAX_QUERY_BYTES = 16 * 1024;

const encoder = new TextEncoder();

/** How many bytes a text takes in UTF-8. */
export const byteLength = (text: string): number => encoder.encode(text).length;

/** How many bytes a text takes in a JSON body. */
const jsonLength = (text: string): number => byteLength(JSON.stringify(text));

/** The beginning of a text, as much as fits. No character is cut in half. */
export function cut(text: string, maxBytes: number, length = jsonLength): string {
  if (length(text) <= maxBytes) return text;
  let [fits, tooLong] = [0, text.length];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (length(text.slice(0, middle)) <= maxBytes) fits = middle;
    else tooLong = middle;
  }
  return text.slice(0, fits).replace(/[\uD800-\uDBFF]$/, "");
}

/** An exchange that the service accepts: of one that is too long the answer is cut first, then the message. */
export function fit(userMessage: string, agentResponse: string): { userMessage: string; agentResponse: string } {
  const message = cut(userMessage, MAX_BODY_BYTES - 2);
  return { userMessage: message, agentResponse: cut(agentResponse, MAX_BODY_BYTES - jsonLength(message)) };
}
