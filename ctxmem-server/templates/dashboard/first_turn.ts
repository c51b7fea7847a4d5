const { CTXMEM_BASE_URL, CTXMEM_API_KEY } = process.env;

async function call(path: string, body: object): Promise<any> {
  const response = await fetch(CTXMEM_BASE_URL + path, {
    method: "POST",
    headers: {
      "Authorization": `Bearer ${CTXMEM_API_KEY}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

// Before the model call: what is known of the user becomes part of the prompt.
const system = await call("/api/context/inject", {
  userId: "ada",
  basePrompt: "You are a helpful assistant.",
});
console.log(system.injectedPrompt);

// After it: learn from the turn.
const learned = await call("/api/context/update", {
  userId: "ada",
  userMessage: "My name is Ada and I live in Lisbon.",
  agentResponse: "Nice to meet you, Ada.",
});
console.log("learned:", JSON.stringify(learned.delta), learned.outcome ?? "");
