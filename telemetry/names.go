package telemetry

import "go.opentelemetry.io/otel/attribute"

// scope is the name of the tracer and of the meter.
const scope = "github.com/hearth-bot/hearth/telemetry"

// schemaURL is the version of the conventions that the names below follow.
const schemaURL = "https://opentelemetry.io/schemas/gen-ai/1.42.0"

// Attributes of the conventions.
const (
	attrErrorType       = attribute.Key("error.type")
	attrAgentName       = attribute.Key("gen_ai.agent.name")
	attrConversationID  = attribute.Key("gen_ai.conversation.id")
	attrInputMessages   = attribute.Key("gen_ai.input.messages")
	attrOperation       = attribute.Key("gen_ai.operation.name")
	attrOutputMessages  = attribute.Key("gen_ai.output.messages")
	attrProvider        = attribute.Key("gen_ai.provider.name")
	attrRequestModel    = attribute.Key("gen_ai.request.model")
	attrFinishReasons   = attribute.Key("gen_ai.response.finish_reasons")
	attrResponseModel   = attribute.Key("gen_ai.response.model")
	attrTimeToFirst     = attribute.Key("gen_ai.response.time_to_first_chunk")
	attrInstructions    = attribute.Key("gen_ai.system_instructions")
	attrTokenType       = attribute.Key("gen_ai.token.type")
	attrToolArguments   = attribute.Key("gen_ai.tool.call.arguments")
	attrToolCallID      = attribute.Key("gen_ai.tool.call.id")
	attrToolResult      = attribute.Key("gen_ai.tool.call.result")
	attrToolName        = attribute.Key("gen_ai.tool.name")
	attrToolType        = attribute.Key("gen_ai.tool.type")
	attrCacheReadTokens = attribute.Key("gen_ai.usage.cache_read.input_tokens")
	attrInputTokens     = attribute.Key("gen_ai.usage.input_tokens")
	attrOutputTokens    = attribute.Key("gen_ai.usage.output_tokens")
)

// Values of the conventions.
const (
	opInvokeAgent = "invoke_agent"
	opChat        = "chat"
	opExecuteTool = "execute_tool"
	tokenInput    = "input"
	tokenOutput   = "output"
	toolFunction  = "function"
	other         = "_OTHER"
)

// Metrics of the conventions.
const (
	metricTokens       = "gen_ai.client.token.usage"
	metricChatDuration = "gen_ai.client.operation.duration"
	metricFirstChunk   = "gen_ai.client.operation.time_to_first_chunk"
	metricTurnDuration = "gen_ai.invoke_agent.duration"
	metricToolDuration = "gen_ai.execute_tool.duration"
)

// Attributes of hearth.
const (
	attrDecisionKind    = attribute.Key("hearth.decision.kind")    // a heartflow.TraceKind
	attrDecisionOutcome = attribute.Key("hearth.decision.outcome") // silent, ask or speak; for other kinds the state of the chat
	attrReason          = attribute.Key("hearth.reason")           // a heartflow.Code; of dropped messages: why
	attrReasons         = attribute.Key("hearth.reasons")          // all of them
	attrScore           = attribute.Key("hearth.score")
	attrPlatform        = attribute.Key("hearth.platform")
	attrPurpose         = attribute.Key("hearth.purpose")  // a models.Purpose
	attrAttempts        = attribute.Key("hearth.attempts") // calls of single models for one call
	attrTurnKind        = attribute.Key("hearth.turn.kind")
	attrTurnID          = attribute.Key("hearth.turn.id")
	attrOutcome         = attribute.Key("hearth.outcome") // of a turn: spoke, silent, error, …
)

// Events and spans of hearth. The names of events are those of span events.
const (
	eventDecision     = "hearth.decision"
	eventModelFailure = "hearth.model.failure" // a failed attempt of a call
	eventSend         = "hearth.send"
	eventSendFailure  = "hearth.send.failure"
	eventSendUnclear  = "hearth.send.unclear"
)

// Metrics of hearth.
const (
	metricReceived      = "hearth.messages.received"
	metricDropped       = "hearth.messages.dropped"
	metricSent          = "hearth.messages.sent"
	metricSendFailures  = "hearth.send.failures"
	metricSendUnclear   = "hearth.send.unclear"
	metricDecisions     = "hearth.decisions"
	metricLatency       = "hearth.answer.latency"
	metricModelFailures = "hearth.model.failures"
	metricOnline        = "hearth.link.online"
	metricDisconnects   = "hearth.link.disconnects"
	metricQueue         = "hearth.queue.depth"
	metricBudget        = "hearth.budget.used"
)
