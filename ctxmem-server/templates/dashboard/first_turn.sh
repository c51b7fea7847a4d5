# Before the model call: what is known of the user becomes part of the prompt.
curl "$CTXMEM_BASE_URL/api/context/inject" \
  -H "Authorization: Bearer $CTXMEM_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{"userId": "ada", "basePrompt": "You are a helpful assistant."}'

# After it: learn from the turn.
curl "$CTXMEM_BASE_URL/api/context/update" \
  -H "Authorization: Bearer $CTXMEM_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{"userId": "ada", "userMessage": "My name is Ada and I live in Lisbon.", "agentResponse": "Nice to meet you, Ada."}'
