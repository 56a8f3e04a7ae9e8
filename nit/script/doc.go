// Package script lets a model write several tool calls as one short script, and gives tool calling to models that can only
// write text.
//
//	$shots = take_screenshot(count=1)
//	qq_send_text(content="看这个", images=$shots) # passes the result without another model call
//
// It saves model calls: one answer makes several tool calls that pass results to each other. It also tracks provenance:
// every argument knows which tools its data came from.
//
// [Parse] parses a NIT 2.0 script and [Script.Run] runs it with any function; [Run] does both. For the turn of a model
// there are two parts. [Scripts.Toolbox] makes a toolbox from a nit.View, with the tool [ToolName] that runs scripts.
// [Model] wraps a text-only model: it explains the tools in the prompt and converts scripts and <tool_call>s in the
// answer to llms.ToolCalls.
//
//	scripts, err := script.NewScripts(script.ToolOptions{})
//	…
//	model := script.Model(textOnly, script.ModelOptions{})
//	turn := persona.Turn{Model: model, Toolbox: scripts.Toolbox(registry.View(principal))}
//
// # Grammar
//
//	script     = { statement | ";" } .
//	statement  = [ variable "=" ] [ "async" ] name "(" [ argument { "," argument } [ "," ] ] ")" .
//	argument   = name "=" value .
//	value      = string | number | variable | list | object | "true" | "false" | "null" .
//	list       = "[" [ value { "," value } [ "," ] ] "]" .
//	object     = "{" [ entry { "," entry } [ "," ] ] "}" .
//	entry      = ( string | name ) ":" value .
//	variable   = "$" [ plainname ] .
//	name       = plainname { ( "." | "-" ) plainrest } .
//	plainname  = ( LETTER | "_" ) { LETTER | NUMERIC | "_" } .
//	plainrest  = ( LETTER | NUMERIC | "_" ) { LETTER | NUMERIC | "_" } .
//	string     = '"' { CHARACTER | escape } '"' | "'" { CHARACTER | escape } "'" .
//	escape     = "\" ( "n" | "t" | "u" 4*HEX | CHARACTER ) .
//	number     = [ "-" ] DIGIT { DIGIT | "." } [ ( "e" | "E" ) [ "+" | "-" ] DIGIT { DIGIT } ] .
//	comment    = "#" … end of line .
//
// Unicode white space and comments may stand between all elements. A line break is white space. Letters and digits may
// be of any script. A number has at most one dot. A string may span lines, and a backslash before any other character
// gives that character. "async" is not a name. The literals true, false and null are names where a name is expected.
//
// [Options].Legacy selects the language of the first interpreter. It lacks ";", objects, literals, signs, exponents,
// \u, dots and dashes in names, and trailing commas. A script that it accepts means the same in both dialects, with
// three exceptions: \u is "u" there, the last of duplicate arguments wins, and an unassigned variable is null. The strict
// dialect rejects the last two.
//
// # Execution
//
// A script is parsed and its variables and tool names are resolved before the first call, so a mistake anywhere runs
// nothing. Then the calls run in order until one fails. An [*Error] has the stage and position of the fault. It renders
// itself with the source line and a caret, which helps a model to correct the script.
//
// A call marked async runs concurrently with the following calls. A call that uses its variable waits for it. The script
// ends after all its calls have ended.
//
// # Provenance
//
// A variable remembers which tools its data came from, and every [Call] has the provenance of each argument. Lists,
// objects and results inherit it. This is exact, because a script refers to data by name instead of copying it. A
// nit.Policy gets it with [CallFrom]. For instance, it can refuse to send data from the owner's memory to a group, or
// ask the owner, even after a prompt injection.
//
// # Prompt injection
//
// Only the answer of a model is parsed for calls, not chat messages, tool results or thinking. A script starts with a tag
// that contains a token of the turn, with at least 128 random bits. With another token or none it is plain text. If
// scripts are offered, the same holds for <tool_call>. Otherwise a <tool_call> needs no token, because models are trained
// to write it that way, unless [ModelOptions].CallTag is [TokenTag].
//
// The end of a script is found by tracking its strings and comments. A [Splitter] hides all blocks from the visible
// text, also partial ones and while streaming. An unclosed block does not run, and the model is told that it was
// malformed.
//
// # Time
//
// The package uses no clock. The context limits a script, and the view limits each call.
//
// # Concurrency
//
// A Script, a Toolbox and a model from [Model] may be used concurrently, a [Splitter] must not.
//
// # Caveats
//
// In a Toolbox every tool result is text, even if it looks like a number. A tool that takes a number from a variable must
// accept text, as nit.ID does. There are no conditions and no loops.
package script
