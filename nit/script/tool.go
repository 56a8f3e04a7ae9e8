package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/nit"
	"github.com/tmc/langchaingo/llms"
)

// ToolName is the tool that runs scripts.
const ToolName = "nit_script"

const toolDescription = `运行一段脚本，一次调用几个工具。一行一次调用，参数都带名字：
$r = 工具名(参数名="值", 数量=3, 列表=["a", "b"])
另一个工具(content=$r)
$r 存下一次调用的结果，供后面的调用使用。值可以是字符串、数字、true、false、null、[列表]、{"键": 值} 或 $变量。调用前写 async，就和后面的调用同时进行。# 后面是注释。没有别的语法。有一处出错，就什么也不运行。`

// ToolOptions say how scripts run over a view.
type ToolOptions struct {
	Options
	// MaxScripts is how many scripts one turn may run; 0 means 4, negative no bound.
	MaxScripts int
	// ResultChars is how many characters of a script's result the model sees; 0 means 4000, negative no bound.
	ResultChars int
	// Description of the tool; "" is a text in Chinese.
	Description string
}

// Scripts run scripts over views. All methods may be called concurrently.
type Scripts struct {
	opts ToolOptions
	reg  nit.Registry // of the one tool
}

// NewScripts makes one for a program.
func NewScripts(opts ToolOptions) (*Scripts, error) {
	s := &Scripts{opts: opts}
	s.opts.MaxScripts = cmp.Or(s.opts.MaxScripts, 4)
	s.opts.Description = cmp.Or(s.opts.Description, toolDescription)
	s.reg.Limits = nit.Limits{Calls: s.opts.MaxScripts, ArgumentBytes: -1, ResultChars: opts.ResultChars, Timeout: -1}
	tool, err := nit.Define(ToolName, nit.L1, s.opts.Description, s.run, nit.SelfCommitting())
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	return s, s.reg.Add(tool)
}

// Wait waits until no script runs any more, or ctx ends. A script ends when its calls do; those end as the view says.
func (s *Scripts) Wait(ctx context.Context) error { return s.reg.Wait(ctx) }

// Toolbox gives a toolbox for one turn: the tools of view, and [ToolName] unless there are none. A script reaches what
// the view shows and nothing else, itself not; each of its calls goes through the view's own door, by [nit.View.Do], at the usual price.
// A name that the view does not know is found before anything runs, and answered as unknown at the price of one call.
func (s *Scripts) Toolbox(view *nit.View) *Toolbox {
	t := &Toolbox{view: view}
	if len(view.Tools()) > 0 {
		t.own = s.reg.View(nit.Principal{Tiers: nit.L1})
	}
	return t
}

// A Toolbox is a view with scripts. Like the view, it is meant for one turn. All methods may be called concurrently.
type Toolbox struct {
	view *nit.View
	own  *nit.View // has the one tool; nil: scripts have nothing to call
}

// Tools lists the tools by name, as the view does now.
func (t *Toolbox) Tools() []llms.Tool {
	tools := t.view.Tools()
	if t.own == nil || len(tools) == 0 {
		return tools
	}
	at, taken := slices.BinarySearchFunc(tools, ToolName, func(t llms.Tool, name string) int { return strings.Compare(t.Function.Name, name) })
	if taken { // the host's own tool of that name is out of reach
		tools = slices.Delete(tools, at, at+1)
	}
	return slices.Insert(tools, at, t.own.Tools()...)
}

// Call answers a model's call, as [nit.View.Call] does.
func (t *Toolbox) Call(ctx context.Context, call llms.ToolCall) llms.ToolCallResponse {
	if t.own == nil || call.FunctionCall == nil || call.FunctionCall.Name != ToolName {
		return t.view.Call(ctx, call)
	}
	return t.own.Call(context.WithValue(ctx, toolboxKey{}, t), call)
}

type toolboxKey struct{}

type scriptIn struct {
	Script string `json:"script" jsonschema:"脚本"`
}

// run is the tool. What it returns is for the model.
func (s *Scripts) run(ctx context.Context, in scriptIn) (string, error) {
	box := ctx.Value(toolboxKey{}).(*Toolbox)
	parsed, err := Parse(in.Script, s.opts.Options)
	if err != nil {
		return "", tell(err, nil)
	}
	if err := box.resolve(ctx, parsed); err != nil {
		return "", tell(err, nil)
	}
	log := newJournal(parsed)
	_, err = parsed.run(ctx, func(ctx context.Context, i int, c Call) (Value, error) {
		args, err := encode(c.Args)
		if err != nil {
			return Value{}, nit.ErrInvalidArgs
		}
		res, err := box.view.Do(context.WithValue(ctx, callKey{}, c), c.Name, args)
		if err != nil {
			return Value{}, err
		}
		log.results[i] = &res.Text
		return Value{Data: res.Text}, nil
	})
	if err != nil {
		return "", tell(err, log)
	}
	return log.String(), nil
}

type callKey struct{}

// CallFrom gives the call of a script that is being made: to guards, policies and tools of the view. It says where the arguments came from.
// A call that the model made by itself has none; there nothing is known of that.
func CallFrom(ctx context.Context) (Call, bool) {
	c, ok := ctx.Value(callKey{}).(Call)
	return c, ok
}

// resolve finds the first name that the view does not have. It is asked for: so that it costs what a call costs,
// and the operator learns of it.
func (t *Toolbox) resolve(ctx context.Context, s *Script) error {
	for i := range s.calls {
		c := &s.calls[i]
		if c.name != ToolName && t.view.Has(c.name) {
			continue
		}
		_, err := t.view.Do(ctx, c.name, "{}")
		if err == nil {
			err = nit.ErrUnknownTool
		}
		e := s.fault(StageResolve, c.pos, err.Error())
		e.Err = err
		return e
	}
	return nil
}

// tell makes an error of what the model should know.
func tell(err error, log *journal) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Err != nil {
		e.Message = strings.TrimPrefix(e.Message, "nit: ")
		e.hide = errors.Is(e.Err, nit.ErrUnknownTool) // the line names what there is not
	}
	text := e.Render()
	if done := log.String(); done != "" {
		text += "\nmade before it ended:\n" + done
	}
	return nit.ModelError(text)
}

// A journal is what the calls of a script gave.
type journal struct {
	script  *Script
	results []*string // by call; nil: it gave nothing
}

func newJournal(s *Script) *journal { return &journal{s, make([]*string, len(s.calls))} }

// String gives one line of JSON for each call that gave something. What went into a variable was for
// the calls behind it, and the model is told its length; only the last result is shown in any case.
func (j *journal) String() string {
	if j == nil {
		return ""
	}
	var lines []string
	for i, result := range j.results {
		if result == nil {
			continue
		}
		c := &j.script.calls[i]
		line := struct {
			Tool   string  `json:"tool"`
			Into   string  `json:"into,omitempty"`
			Length int     `json:"length,omitempty"`
			Result *string `json:"result,omitempty"`
		}{Tool: c.name}
		if line.Result = result; c.assigns {
			line.Into = "$" + c.target
			if i < len(j.results)-1 {
				line.Length, line.Result = len([]rune(*result)), nil
			}
		}
		if text, err := encode(line); err == nil {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}
