package social

import "github.com/hearth-bot/hearth/nit/script"

// Scripts lets a model without native tool calls use tools. Its prompt describes the tools, and it writes calls as
// text: as NIT scripts or as <tool_call>. Each conversation has a token that the tags of its calls must contain, so
// that text of other people is never a call. Rights, limits and commits are the same as for native calls. The zero
// value is ready for use.
//
// With CallsOnly, and Model.CallTag at its zero value, a <tool_call> needs no token, because some models were trained
// to write only that. Anybody who makes such a model repeat a text can then call the tools of that turn. Set
// Model.CallTag to [script.TokenTag] if the model can copy a token.
//
// Only Options.Model is wrapped. Wrap another model, such as Autonomy.Model or one of several in a chain, with
// [script.Model]. All of them are offered the tool that runs scripts.
type Scripts struct {
	Model     script.ModelOptions
	Tool      script.ToolOptions
	CallsOnly bool // the model writes <tool_call> only: scripts are neither explained nor read
}
