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

// ToolName is the name of the tool that runs scripts.
const ToolName = "nit_script"

const toolDescription = `运行一段脚本，一次调用几个工具。一行一次调用，参数都带名字：
$r = 工具名(参数名="值", 数量=3, 列表=["a", "b"])
另一个工具(content=$r)
$r 存下一次调用的结果，供后面的调用使用。值可以是字符串、数字、true、false、null、[列表]、{"键": 值} 或 $变量。调用前写 async，就和后面的调用同时进行。# 后面是注释。没有别的语法。有一处出错，就什么也不运行。`

// ToolOptions configure [NewScripts].
type ToolOptions struct {
	Options
	// MaxScripts limits the scripts of one turn; 0 means 4, negative means unlimited.
	MaxScripts int
	// ResultChars limits the characters of a result that the model sees; 0 means 4000, negative means unlimited.
	ResultChars int
	// Description of the tool; "" means a text in Chinese.
	Description string
}

// Scripts adds the script tool to views. All methods may be called concurrently.
type Scripts struct {
	opts ToolOptions
	reg  nit.Registry // has the script tool only
}

// NewScripts returns Scripts for a program. It fails if the description is too long or not UTF-8.
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

// Wait waits until no script runs or ctx ends. A script ends when its calls end, and the view limits their time.
func (s *Scripts) Wait(ctx context.Context) error { return s.reg.Wait(ctx) }

// Toolbox returns a toolbox for one turn: the tools of view plus [ToolName]. If view has no tools, neither has the toolbox.
// A script can call the tools of view only, and not itself. Each of its calls goes through [nit.View.Do] and is charged
// as usual. An unknown tool name is found before anything runs and is charged as one call.
func (s *Scripts) Toolbox(view *nit.View) *Toolbox {
	t := &Toolbox{view: view}
	if len(view.Tools()) > 0 {
		t.scriptView = s.reg.View(nit.Principal{Tiers: nit.L1})
	}
	return t
}

// A Toolbox is a view with the script tool, for one turn. All methods may be called concurrently.
type Toolbox struct {
	view       *nit.View
	scriptView *nit.View // has the script tool; nil if the view has no tools
}

// Tools lists the tools sorted by name.
func (t *Toolbox) Tools() []llms.Tool {
	tools := t.view.Tools()
	if t.scriptView == nil || len(tools) == 0 {
		return tools
	}
	at, taken := slices.BinarySearchFunc(tools, ToolName, func(t llms.Tool, name string) int { return strings.Compare(t.Function.Name, name) })
	if taken { // the script tool hides a host tool with its name
		tools = slices.Delete(tools, at, at+1)
	}
	return slices.Insert(tools, at, t.scriptView.Tools()...)
}

// Call answers a model's call like [nit.View.Call].
func (t *Toolbox) Call(ctx context.Context, call llms.ToolCall) llms.ToolCallResponse {
	if t.scriptView == nil || call.FunctionCall == nil || call.FunctionCall.Name != ToolName {
		return t.view.Call(ctx, call)
	}
	return t.scriptView.Call(context.WithValue(ctx, toolboxKey{}, t), call)
}

type toolboxKey struct{}

type scriptIn struct {
	Script string `json:"script" jsonschema:"脚本"`
}

// run implements the tool. Its result and error text are for the model.
func (s *Scripts) run(ctx context.Context, in scriptIn) (string, error) {
	box := ctx.Value(toolboxKey{}).(*Toolbox)
	parsed, err := Parse(in.Script, s.opts.Options)
	if err != nil {
		return "", errorForModel(err, nil)
	}
	if err := box.resolve(ctx, parsed); err != nil {
		return "", errorForModel(err, nil)
	}
	log := newResultLog(parsed)
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
		return "", errorForModel(err, log)
	}
	return log.String(), nil
}

type callKey struct{}

// CallFrom returns the script call that is running, with the provenance of its arguments. Use it in guards, policies and
// tools. It returns false for a direct call of the model, for which the provenance is unknown.
func CallFrom(ctx context.Context) (Call, bool) {
	c, ok := ctx.Value(callKey{}).(Call)
	return c, ok
}

// resolve returns an error for the first tool that the view lacks. It calls that tool, so that the quota is charged and
// the call is logged.
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

// errorForModel converts an error to one with a text for the model.
func errorForModel(err error, log *resultLog) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Err != nil {
		e.Message = strings.TrimPrefix(e.Message, "nit: ")
		e.hideLine = errors.Is(e.Err, nit.ErrUnknownTool) // the line contains the unknown name
	}
	text := e.Render()
	if done := log.String(); done != "" {
		text += "\nmade before it ended:\n" + done
	}
	return nit.ModelError(text)
}

// A resultLog collects the results of a script's calls.
type resultLog struct {
	script  *Script
	results []*string // by call; nil without a result
}

func newResultLog(s *Script) *resultLog { return &resultLog{s, make([]*string, len(s.calls))} }

// String returns one JSON line for each result. Results in variables are shown as their length, except the last one.
func (j *resultLog) String() string {
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
