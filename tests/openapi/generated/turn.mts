// A turn, by openapi-fetch with the types that openapi-typescript generates.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const client = createClient<paths>({
  baseUrl: process.env.CTXMEM_BASE_URL!,
  headers: { Authorization: `Bearer ${process.env.CTXMEM_API_KEY}` },
});

const learned = await client.POST("/api/context/update", {
  body: {
    userId: "ada",
    userMessage: "My name is Ada and I live in Lisbon.",
    agentResponse: "Nice to meet you, Ada.",
  },
});
if (!learned.data?.updated) throw new Error(learned.error?.error);
const system = await client.POST("/api/context/inject", {
  body: { userId: "ada", basePrompt: "You are a helpful assistant." },
});
if (!system.data?.injectedPrompt.includes("Lisbon")) throw new Error(system.error?.error);
const known = await client.GET("/api/context/{userId}", { params: { path: { userId: "ada" } } });
const place: string | undefined = known.data?.general["location"]?.value;
if (place !== "Lisbon") throw new Error(known.error?.error);
console.log("TypeScript: learned, injected and read");
