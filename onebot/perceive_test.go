package onebot

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What becomes of every kind of event (row Q6): text, descriptions of pictures, mentions and quotes are heard; what
// the account itself said is heard and marked; recalls, joins, requests and the rest of the system is no talk.
func TestPerceivedOfEveryKind(t *testing.T) {
	group := func(sub string, m ...Segment) Event {
		return &GroupMessage{Common: that, SubType: sub, GroupID: 1, UserID: 2, Message: m}
	}
	seen := map[string]bool{}
	for _, c := range []struct {
		name string
		e    Event
		want Perception
	}{
		{"text", group("normal", Text("在吗")), Heard},
		{"picture", group("normal", Image("a.jpg")), Heard},
		{"mention", group("normal", At(10000)), Heard},
		{"quote", group("normal", Reply(7)), Heard},
		{"market face", group("normal", Segment{Type: "mface"}), Heard},
		{"new kind of segment", group("normal", Segment{Type: "brand_new"}), Heard},
		{"anonymous", group("anonymous", Text("在吗")), Heard},
		{"line of the system", group("notice", Text("甲撤回了一条消息")), Ignored},
		{"nothing that can be shown", group("normal"), Ignored},
		{"empty text", group("normal", Text("")), Ignored},
		{"own, by id", &GroupMessage{Common: that, UserID: 10000, Message: Message{Text("在")}}, HeardOwn},
		{"own, by post_type", &GroupMessage{Common: that, own: true, Message: Message{Text("在")}}, HeardOwn},
		{"own and empty", &GroupMessage{Common: that, own: true}, Ignored},
		{"friend", &PrivateMessage{Common: that, UserID: 2, Message: Message{Text("在吗")}}, Heard},
		{"temporary session", &PrivateMessage{Common: that, SubType: "group", GroupID: 1, UserID: 2, Message: Message{Text("在吗")}}, Heard},
		{"own to a friend", &PrivateMessage{Common: that, UserID: 10000, TargetID: 2, Message: Message{Text("在")}}, HeardOwn},
		{"guild", &GuildMessage{Common: that, UserID: "3", Message: Message{Text("在吗")}}, Heard},
		{"own in a guild", &GuildMessage{Common: that, Guild: Guild{SelfTinyID: "3"}, UserID: "3", Message: Message{Text("在")}}, HeardOwn},

		{"group recall", &GroupRecall{Common: that}, Ignored},
		{"friend recall", &FriendRecall{Common: that}, Ignored},
		{"ban", &GroupBan{Common: that}, Ignored},
		{"join", &GroupIncrease{Common: that}, Ignored},
		{"leave", &GroupDecrease{Common: that}, Ignored},
		{"admin", &GroupAdmin{Common: that}, Ignored},
		{"card", &GroupCard{Common: that}, Ignored},
		{"poke", &Poke{Common: that}, Ignored},
		{"poke recall", &PokeRecall{Common: that}, Ignored},
		{"friend add", &FriendAdd{Common: that}, Ignored},
		{"bot offline", &BotOffline{Common: that}, Ignored},
		{"bot online", &BotOnline{Common: that}, Ignored},
		{"upload", &GroupUpload{Common: that}, Ignored},
		{"offline file", &OfflineFile{Common: that}, Ignored},
		{"essence", &Essence{Common: that}, Ignored},
		{"title", &GroupTitle{Common: that}, Ignored},
		{"group name", &GroupName{Common: that}, Ignored},
		{"reaction", &Reaction{Common: that}, Ignored},
		{"lucky king", &LuckyKing{Common: that}, Ignored},
		{"honor", &Honor{Common: that}, Ignored},
		{"gray tip", &GrayTip{Common: that}, Ignored},
		{"profile like", &ProfileLike{Common: that}, Ignored},
		{"typing", &InputStatus{Common: that}, Ignored},
		{"client status", &ClientStatus{Common: that}, Ignored},
		{"online file sent", &OnlineFileSend{Common: that}, Ignored},
		{"online file withdrawn", &OnlineFileReceive{Common: that}, Ignored},
		{"flash file", &FlashFile{Common: that}, Ignored},
		{"guild recall", &GuildRecall{Common: that}, Ignored},
		{"guild reactions", &GuildReactions{Common: that}, Ignored},
		{"guild channel", &GuildChannel{Common: that}, Ignored},
		{"friend request", &FriendRequest{Common: that}, Ignored},
		{"group request", &GroupRequest{Common: that}, Ignored},
		{"lifecycle", &Lifecycle{Common: that}, Ignored},
		{"heartbeat", &Heartbeat{Common: that}, Ignored},
		{"gap", &Dropped{Common: that, Count: 3}, Ignored},
		{"unknown", &Unknown{Common: that}, Ignored},
		{"nothing", nil, Ignored},
	} {
		assert.Equal(t, c.want, Perceived(c.e), c.name)
		if c.e != nil {
			seen[reflect.TypeOf(c.e).Elem().Name()] = true
		}
	}
	for _, kind := range eventTypes(t) {
		assert.True(t, seen[kind], "say what becomes of %s", kind)
	}
	assert.Equal(t, "ignored heard heard own", Ignored.String()+" "+Heard.String()+" "+HeardOwn.String())
}

// eventTypes lists the types of this package that embed Common.
func eventTypes(t *testing.T) (names []string) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					if id, ok := field.Type.(*ast.Ident); ok && len(field.Names) == 0 && id.Name == "Common" {
						names = append(names, spec.Name.Name)
					}
				}
			}
			return true
		})
	}
	require.Greater(t, len(names), 30)
	return names
}
