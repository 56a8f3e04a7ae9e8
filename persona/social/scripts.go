package social

import "github.com/hearth-bot/hearth/nit/script"

// Scripts are for an Options.Model that cannot call tools by itself: it is told of them in the prompt, and writes its calls
// as text, in NIT scripts or as <tool_call>. The zero value is ready. Each conversation has a token of its own, which the
// tags of its calls must bear, so that nothing that people write is one. Turns do not learn of it: rights, limits and what is
// written down before an effect are the same for every call.
//
// With CallsOnly and Model.Calls at its zero value a <tool_call> needs no token: models that know nothing else were trained to
// write it so. Whoever makes such a model repeat a text can then call the tools of that turn. If the model can copy
// a token, set Model.Calls to [script.TokenTag].
//
// Only Options.Model is wrapped. A model beside it, as Days.Model, or one of several in a chain, takes [script.Model] by
// itself; the tool that runs scripts is offered to all.
type Scripts struct {
	Model     script.ModelOptions
	Tool      script.ToolOptions
	CallsOnly bool // it writes <tool_call> alone: scripts are not explained, and not read
}
