package social

import "github.com/hearth-bot/hearth/nit/script"

// Scripts are for an Options.Model that cannot call tools by itself: it is told of them in the prompt, and writes its calls
// as text, in NIT scripts or as <tool_call>. The zero value is ready. Each conversation has a token of its own, which its
// scripts must bear, so that nothing that people write is one. Turns do not learn of it: rights, limits and what is
// written down before an effect are the same for every call.
//
// Only Options.Model is wrapped. A model beside it, as Days.Model, or one of several in a chain, takes [script.Model] by
// itself; the tool that runs scripts is offered to all.
type Scripts struct {
	Model     script.ModelOptions
	Tool      script.ToolOptions
	CallsOnly bool // it writes <tool_call> alone: scripts are not explained, and not read
}
