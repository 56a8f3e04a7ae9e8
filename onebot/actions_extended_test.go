package onebot

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// actionCases are the extension actions, with the parameters sent and the results of several implementations.
var actionCases = []struct {
	name         string
	do           func(ctx context.Context, b *Bot) (any, error)
	params, data string
	want         any
}{
	{"send_msg", func(ctx context.Context, b *Bot) (any, error) { return b.SendMsg(ctx, 1, 0, Message{Text("在")}) },
		`{"group_id":1,"message":[{"type":"text","data":{"text":"在"}}],"message_type":"group"}`, `{"message_id":7}`, int64(7)},
	{"send_msg", func(ctx context.Context, b *Bot) (any, error) { return b.SendMsg(ctx, 0, 5, nil) },
		`{"message":[],"message_type":"private","user_id":5}`, `{"message_id":7}`, int64(7)},
	{"send_like", none(func(ctx context.Context, b *Bot) error { return b.SendLike(ctx, 5, 0) }), `{"times":1,"user_id":5}`, ``, nil},
	{"get_cookies", func(ctx context.Context, b *Bot) (any, error) { return b.GetCookies(ctx, "qun.qq.com") }, `{"domain":"qun.qq.com"}`, `{"cookies":"a=b","bkn":"7"}`, "a=b"},
	{"get_csrf_token", func(ctx context.Context, b *Bot) (any, error) { return b.GetCSRFToken(ctx) }, `{}`, `{"token":"7"}`, int64(7)},
	{"get_credentials", func(ctx context.Context, b *Bot) (any, error) { return b.GetCredentials(ctx, "") }, `{"domain":""}`, `{"cookies":"a=b","csrf_token":7}`, Credentials{"a=b", 7}},
	{"get_credentials", func(ctx context.Context, b *Bot) (any, error) { return b.GetCredentials(ctx, "") }, `{"domain":""}`, `{"cookies":"a=b","token":7}`, Credentials{"a=b", 7}},
	{"can_send_image", func(ctx context.Context, b *Bot) (any, error) { return b.CanSendImage(ctx) }, `{}`, `{"yes":true}`, true},
	{"can_send_record", func(ctx context.Context, b *Bot) (any, error) { return b.CanSendRecord(ctx) }, `{}`, `{"yes":false}`, false},
	{"set_restart", none(func(ctx context.Context, b *Bot) error { return b.SetRestart(ctx, 2*time.Second) }), `{"delay":2000}`, ``, nil},
	{"clean_cache", none(func(ctx context.Context, b *Bot) error { return b.CleanCache(ctx) }), `{}`, ``, nil},
	{"set_qq_profile", none(func(ctx context.Context, b *Bot) error { return b.SetQQProfile(ctx, Profile{Nickname: "炉"}) }), `{"nickname":"炉"}`, ``, nil},
	{"set_qq_avatar", none(func(ctx context.Context, b *Bot) error { return b.SetQQAvatar(ctx, "base64://AA==") }), `{"file":"base64://AA=="}`, ``, nil},
	{"set_online_status", none(func(ctx context.Context, b *Bot) error { return b.SetOnlineStatus(ctx, 10, 1028, 0) }), `{"battery_status":0,"ext_status":1028,"status":10}`, ``, nil},
	{"set_input_status", none(func(ctx context.Context, b *Bot) error { return b.SetInputStatus(ctx, 5, 0) }), `{"event_type":0,"user_id":5}`, ``, nil},
	{"get_rkey", func(ctx context.Context, b *Bot) (any, error) { return b.GetRKey(ctx) }, `{}`, `[{"type":"private","rkey":"&rkey=a","created_at":1735689600,"ttl":3600}]`,
		[]RKey{{Type: "private", RKey: "&rkey=a", Created: time.Unix(1735689600, 0), TTL: time.Hour}}},
	{"get_rkey", func(ctx context.Context, b *Bot) (any, error) { return b.GetRKey(ctx) }, `{}`, `{"rkeys":[{"type":"group","rkey":"b"}]}`, []RKey{{Type: "group", RKey: "b"}}},
	{"get_rkey", func(ctx context.Context, b *Bot) (any, error) { return b.GetRKey(ctx) }, `{}`, `{"private_key":"a","group_key":"b","expired_time":1735689600}`,
		[]RKey{{Type: "private", RKey: "a", Expires: time.Unix(1735689600, 0)}, {Type: "group", RKey: "b", Expires: time.Unix(1735689600, 0)}}},
	{"get_robot_uin_range", func(ctx context.Context, b *Bot) (any, error) { return b.GetRobotUINRange(ctx) }, `{}`, `[{"minUin":"3328144510","maxUin":"3328144510"}]`, []UINRange{{3328144510, 3328144510}}},
	{"get_guild_list", func(ctx context.Context, b *Bot) (any, error) { return b.GetGuildList(ctx) }, `{}`, `[{"guild_id":"76","guild_name":"频道","guild_display_id":7}]`, []GuildInfo{{"76", "频道", "7"}}},
	{"get_guild_list", func(ctx context.Context, b *Bot) (any, error) { return b.GetGuildList(ctx) }, `{}`, `null`, []GuildInfo(nil)},
	{"delete_friend", none(func(ctx context.Context, b *Bot) error { return b.DeleteFriend(ctx, 5, false) }), `{"block":false,"friend_id":5,"temp_block":false,"temp_both_del":false,"user_id":5}`, ``, nil},
	{"set_friend_remark", none(func(ctx context.Context, b *Bot) error { return b.SetFriendRemark(ctx, 5, "") }), `{"remark":"","user_id":5}`, ``, nil},
	{"get_friends_with_category", func(ctx context.Context, b *Bot) (any, error) { return b.GetFriendsWithCategory(ctx) }, `{}`,
		`[{"categoryId":1,"categoryName":"我的好友","categoryMbCount":1,"buddyList":[{"user_id":5,"nickname":"甲"}]}]`,
		[]FriendCategory{{ID: 1, Name: "我的好友", Members: 1, Friends: []Friend{{UserID: 5, Nickname: "甲"}}}}},
	{"get_profile_like", func(ctx context.Context, b *Bot) (any, error) { return b.GetProfileLike(ctx, 0, 10) }, `{"count":10,"start":0}`,
		`{"uid":"u","voteInfo":{"total_count":3,"userInfos":[{"uin":5,"nick":"甲","count":2,"latestTime":1735689600}]},"favoriteInfo":{"total_count":1,"today_count":1,"userInfos":[]}}`,
		ProfileLikes{LikeList{Total: 3, Users: []ProfileLiker{{5, "甲", 2, time.Unix(1735689600, 0)}}}, LikeList{Total: 1, Today: 1, Users: []ProfileLiker{}}}},
	{"get_profile_like", func(ctx context.Context, b *Bot) (any, error) { return b.GetProfileLike(ctx, 0, 10) }, `{"count":10,"start":0}`,
		`{"users":[{"uin":"5"}],"nextStart":10}`, ProfileLikes{Favorites: LikeList{Next: 10, Users: []ProfileLiker{{UserID: 5}}}}},
	{"get_doubt_friends_add_request", func(ctx context.Context, b *Bot) (any, error) { return b.GetDoubtFriendsAddRequest(ctx, 0) }, `{"count":50}`,
		`[{"flag":"u_x","uin":"5","nick":"甲","source":"群","reason":"r","msg":"m","group_code":"1","time":"1735689600","type":"doubt"}]`,
		[]DoubtRequest{{"u_x", 5, "甲", "群", "r", "m", 1, time.Unix(1735689600, 0)}}},
	{"set_doubt_friends_add_request", none(func(ctx context.Context, b *Bot) error { return b.SetDoubtFriendsAddRequest(ctx, "u_x") }), `{"approve":true,"flag":"u_x"}`, ``, nil},
	{"send_poke", none(func(ctx context.Context, b *Bot) error { return b.SendPoke(ctx, 1, 5) }), `{"group_id":1,"user_id":5}`, ``, nil},
	{"send_poke", none(func(ctx context.Context, b *Bot) error { return b.SendPoke(ctx, 0, 5) }), `{"user_id":5}`, ``, nil},

	{"set_group_whole_ban", none(func(ctx context.Context, b *Bot) error { return b.SetGroupWholeBan(ctx, 1, false) }), `{"enable":false,"group_id":1}`, ``, nil},
	{"set_group_admin", none(func(ctx context.Context, b *Bot) error { return b.SetGroupAdmin(ctx, 1, 5, true) }), `{"enable":true,"group_id":1,"user_id":5}`, ``, nil},
	{"set_group_anonymous", none(func(ctx context.Context, b *Bot) error { return b.SetGroupAnonymous(ctx, 1, false) }), `{"enable":false,"group_id":1}`, ``, nil},
	{"set_group_anonymous_ban", none(func(ctx context.Context, b *Bot) error { return b.SetGroupAnonymousBan(ctx, 1, "f", time.Minute) }),
		`{"anonymous":{"flag":"f"},"anonymous_flag":"f","duration":60,"flag":"f","group_id":1}`, ``, nil},
	{"set_group_name", none(func(ctx context.Context, b *Bot) error { return b.SetGroupName(ctx, 1, "群") }), `{"group_id":1,"group_name":"群"}`, ``, nil},
	{"set_group_special_title", none(func(ctx context.Context, b *Bot) error { return b.SetGroupSpecialTitle(ctx, 1, 5, "") }), `{"duration":-1,"group_id":1,"special_title":"","user_id":5}`, ``, nil},
	{"get_group_honor_info", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupHonorInfo(ctx, 1, "all") }, `{"group_id":1,"type":"all"}`,
		`{"group_id":"1","current_talkative":{"user_id":5,"nickname":"甲","avatar":"https://x","day_count":3},"talkative_list":[{"user_id":5,"description":"3天"}],"performer_list":[],"legend_list":null}`,
		HonorInfo{GroupID: 1, Talkative: &HonorMember{5, "甲", "https://x", "", 3}, Talkatives: []HonorMember{{UserID: 5, Description: "3天"}}, Performers: []HonorMember{}}},
	{"get_group_honor_info", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupHonorInfo(ctx, 1, "emotion") }, `{"group_id":1,"type":"emotion"}`,
		`{"group_id":1,"current_talkative":{},"emotion_list":[{"user_id":6}]}`, HonorInfo{GroupID: 1, Talkative: &HonorMember{}, Emotions: []HonorMember{{UserID: 6}}}},
	{"set_group_portrait", none(func(ctx context.Context, b *Bot) error { return b.SetGroupPortrait(ctx, 1, "https://x") }), `{"cache":0,"file":"https://x","group_id":1}`, ``, nil},
	{"set_group_remark", none(func(ctx context.Context, b *Bot) error { return b.SetGroupRemark(ctx, 1, "备") }), `{"group_id":1,"remark":"备"}`, ``, nil},
	{"send_group_sign", none(func(ctx context.Context, b *Bot) error { return b.SendGroupSign(ctx, 1) }), `{"group_id":1}`, ``, nil},
	{"get_group_signed_list", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupSignedList(ctx, 1) }, `{"group_id":1}`, `[{"user_id":5,"nick":"甲","time":1735689600,"rank":1}]`,
		[]SignedMember{{5, "甲", time.Unix(1735689600, 0), 1}}},
	{"get_group_shut_list", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupShutList(ctx, 1) }, `{"group_id":1}`, `[{"uin":"5","nick":"甲","cardName":"卡","shutUpTime":1735689600}]`,
		[]MutedMember{{5, "甲", "卡", time.Unix(1735689600, 0)}}},
	{"get_group_at_all_remain", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupAtAllRemain(ctx, 1) }, `{"group_id":1}`,
		`{"can_at_all":true,"remain_at_all_count_for_group":20,"remain_at_all_count_for_uin":9}`, AtAllRemain{true, 20, 9}},
	{"get_group_system_msg", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupSystemMsg(ctx) }, `{}`,
		`{"InvitedRequest":[{"request_id":7,"invitor_uin":5,"group_id":1}],"join_requests":[{"request_id":8,"requester_uin":6,"requester_nick":"乙","message":"我","checked":true,"actor":3}]}`,
		GroupSystemMsg{[]SystemRequest{{ID: 7, InviterID: 5, RequesterID: 5, GroupID: 1}}, []SystemRequest{{ID: 8, RequesterID: 6, RequesterNick: "乙", Comment: "我", Checked: true, Actor: 3}}}},
	{"_send_group_notice", none(func(ctx context.Context, b *Bot) error {
		return b.SendGroupNotice(ctx, 1, Announcement{Content: "公告", Pinned: true})
	}),
		`{"confirm_required":false,"content":"公告","group_id":1,"is_show_edit_card":false,"pinned":true,"send_new_member":false,"tip_window":false,"tip_window_type":1,"type":1}`, ``, nil},
	{"_send_group_notice", none(func(ctx context.Context, b *Bot) error {
		return b.SendGroupNotice(ctx, 1, Announcement{Content: "公告", Image: "https://x", Window: true, NewMembers: true, Confirm: true})
	}),
		`{"confirm_required":true,"content":"公告","group_id":1,"image":"https://x","is_show_edit_card":false,"pinned":false,"send_new_member":true,"tip_window":true,"tip_window_type":0,"type":20}`, ``, nil},
	{"_get_group_notice", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupNotice(ctx, 1) }, `{"group_id":1}`,
		`[{"notice_id":"n","sender_id":5,"publish_time":1735689600,"message":{"text":"公告","image":[{"id":"i","width":"10","height":20}]},"read_num":3}]`,
		[]GroupAnnouncement{{"n", 5, time.Unix(1735689600, 0), AnnouncementBody{"公告", []AnnouncementImage{{"i", 10, 20}}}, 3}}},
	{"_del_group_notice", none(func(ctx context.Context, b *Bot) error { return b.DelGroupNotice(ctx, 1, "n") }), `{"group_id":1,"notice_id":"n"}`, ``, nil},
	{"get_group_album_media_list", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupAlbumMediaList(ctx, 1, "a", "") }, `{"album_id":"a","attach_info":"","group_id":"1"}`, `{"a":1}`, json.RawMessage(`{"a":1}`)},
	{"get_ai_characters", func(ctx context.Context, b *Bot) (any, error) { return b.GetAICharacters(ctx, 1, 0) }, `{"chat_type":1,"group_id":1}`,
		`[{"type":"推荐","characters":[{"character_id":"c","character_name":"小新","preview_url":"https://x"}]}]`, []AICharacters{{"推荐", []AICharacter{{"c", "小新", "https://x"}}}}},
	{"send_group_ai_record", none(func(ctx context.Context, b *Bot) error { return b.SendGroupAIRecord(ctx, 1, "c", "在") }), `{"character":"c","chat_type":1,"group_id":1,"text":"在"}`, ``, nil},

	{"get_image", func(ctx context.Context, b *Bot) (any, error) { return b.GetImage(ctx, "a.jpg") }, `{"file":"a.jpg"}`, `{"size":7,"filename":"a.jpg","url":"https://x"}`, FileInfo{URL: "https://x", Name: "a.jpg", Size: 7}},
	{"get_record", func(ctx context.Context, b *Bot) (any, error) { return b.GetRecord(ctx, "a.amr", "mp3") }, `{"file":"a.amr","out_format":"mp3"}`, `{"file":"/a.mp3"}`, FileInfo{File: "/a.mp3"}},
	{"get_file", func(ctx context.Context, b *Bot) (any, error) { return b.GetFile(ctx, "f") }, `{"file":"f","file_id":"f"}`, `{"file":"/a","file_size":"7","file_name":"a","base64":"AA=="}`, FileInfo{"/a", "", "a", 7, "AA=="}},
	{"download_file", func(ctx context.Context, b *Bot) (any, error) { return b.DownloadFile(ctx, "https://x", "Referer=y") }, `{"headers":["Referer=y"],"thread_count":1,"url":"https://x"}`, `{"file":"/a"}`, FileInfo{File: "/a"}},
	{"ocr_image", func(ctx context.Context, b *Bot) (any, error) { return b.OCRImage(ctx, "a.jpg") }, `{"image":"a.jpg"}`,
		`{"texts":[{"text":"字","confidence":99,"coordinates":[{"x":1,"y":2}]}],"language":"zh"}`, OCR{[]OCRText{{"字", 99, []OCRPoint{{1, 2}}}}, "zh"}},
	{"ocr_image", func(ctx context.Context, b *Bot) (any, error) { return b.OCRImage(ctx, "a.jpg") }, `{"image":"a.jpg"}`,
		`[{"text":"字","pt1":{"x":"1","y":"2"},"score":"99"}]`, OCR{Texts: []OCRText{{"字", 99, []OCRPoint{{1, 2}, {}, {}, {}}}}}},
	{"upload_group_file", func(ctx context.Context, b *Bot) (any, error) {
		return b.UploadGroupFile(ctx, 1, FileUpload{File: "/a", Name: "a"})
	}, `{"file":"/a","group_id":1,"name":"a","upload_file":true}`, `{"file_id":"f"}`, "f"},
	{"upload_private_file", func(ctx context.Context, b *Bot) (any, error) {
		return b.UploadPrivateFile(ctx, 5, FileUpload{File: "/a", Name: "a", Folder: "x"})
	}, `{"file":"/a","name":"a","upload_file":true,"user_id":5}`, `null`, ""},
	{"get_group_file_url", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupFileURL(ctx, 1, "f", 102) }, `{"busid":102,"file_id":"f","group_id":1}`, `{"url":"https://x"}`, "https://x"},
	{"get_private_file_url", func(ctx context.Context, b *Bot) (any, error) { return b.GetPrivateFileURL(ctx, 0, "f", "") }, `{"file_id":"f"}`, `{"url":"https://x"}`, "https://x"},
	{"get_group_root_files", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupRootFiles(ctx, 1) }, `{"group_id":1}`,
		`{"files":[{"group_id":1,"file_id":"f","file_name":"a","busid":102,"size":7,"dead_time":0,"uploader":"5"}],"folders":[{"folder_id":"/d","folder_name":"d","total_file_count":3}]}`,
		GroupFiles{[]GroupFile{{GroupID: 1, ID: "f", Name: "a", BusID: 102, Size: 7, Uploader: 5}}, []GroupFolder{{ID: "/d", Name: "d", Files: 3}}}},
	{"get_group_files_by_folder", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupFilesByFolder(ctx, 1, "/d") }, `{"folder":"/d","folder_id":"/d","group_id":1}`, `{"files":[],"folders":null}`, GroupFiles{Files: []GroupFile{}}},
	{"get_group_file_system_info", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupFileSystemInfo(ctx, 1) }, `{"group_id":1}`, `{"file_count":1,"limit_count":2,"used_space":3,"total_space":4}`, FileSystemInfo{1, 2, 3, 4}},
	{"create_group_file_folder", none(func(ctx context.Context, b *Bot) error { return b.CreateGroupFileFolder(ctx, 1, "d") }), `{"folder_name":"d","group_id":1,"name":"d","parent_id":"/"}`, ``, nil},
	{"delete_group_file", none(func(ctx context.Context, b *Bot) error { return b.DeleteGroupFile(ctx, 1, "f", 0) }), `{"busid":0,"file_id":"f","group_id":1}`, ``, nil},
	{"delete_group_folder", none(func(ctx context.Context, b *Bot) error { return b.DeleteGroupFolder(ctx, 1, "/d") }), `{"folder_id":"/d","group_id":1}`, ``, nil},
	{"move_group_file", none(func(ctx context.Context, b *Bot) error { return b.MoveGroupFile(ctx, 1, "f", "/", "/d") }),
		`{"current_parent_directory":"/","file_id":"f","group_id":1,"parent_directory":"/","target_directory":"/d","target_parent_directory":"/d"}`, ``, nil},
	{"rename_group_file", none(func(ctx context.Context, b *Bot) error { return b.RenameGroupFile(ctx, 1, "f", "/", "b") }), `{"current_parent_directory":"/","file_id":"f","group_id":1,"new_name":"b"}`, ``, nil},
	{"fetch_custom_face", func(ctx context.Context, b *Bot) (any, error) { return b.FetchCustomFace(ctx, 0) }, `{"count":48}`, `["https://x"]`, []string{"https://x"}},

	{"send_forward_msg", func(ctx context.Context, b *Bot) (any, error) {
		return b.SendForwardMsg(ctx, 0, 5, Message{Node(7)}, ForwardPreview{})
	},
		`{"message_type":"private","messages":[{"type":"node","data":{"id":"7"}}],"user_id":5}`, `"res"`, SentForward{ForwardID: "res"}},
	{"send_group_forward_msg", func(ctx context.Context, b *Bot) (any, error) {
		return b.SendGroupForwardMsg(ctx, 1, Message{Node(7)}, ForwardPreview{Title: "记录", Lines: []string{"甲: 在"}})
	}, `{"group_id":1,"messages":[{"type":"node","data":{"id":"7"}}],"news":[{"text":"甲: 在"}],"source":"记录"}`, `{"message_id":9,"res_id":"r"}`, SentForward{9, "r"}},
	{"send_private_forward_msg", func(ctx context.Context, b *Bot) (any, error) {
		return b.SendPrivateForwardMsg(ctx, 5, nil, ForwardPreview{})
	},
		`{"messages":[],"user_id":5}`, `{"message_id":9,"forward_id":"f"}`, SentForward{9, "f"}},
	{"get_forward_msg", func(ctx context.Context, b *Bot) (any, error) { return b.GetForwardMsg(ctx, "7345678901234567890") },
		`{"id":"7345678901234567890","message_id":"7345678901234567890"}`, `{"messages":[{"sender":{"user_id":5,"nickname":"甲"},"time":1735689600,"content":"在"}]}`,
		[]ForwardNode{{UserID: 5, Nickname: "甲", Time: time.Unix(1735689600, 0), Message: Message{Text("在")}}}},
	{"get_forward_msg", func(ctx context.Context, b *Bot) (any, error) { return b.GetForwardMsg(ctx, "x") },
		`{"id":"x","message_id":"x"}`, `{"message":[{"type":"node","data":{"user_id":"5","nickname":"甲","content":[{"type":"face","data":{"id":"1"}}]}}]}`,
		[]ForwardNode{{UserID: 5, Nickname: "甲", Message: Message{Face(1)}}}},
	{"mark_msg_as_read", none(func(ctx context.Context, b *Bot) error { return b.MarkMsgAsRead(ctx, 7) }), `{"message_id":7}`, ``, nil},
	{"forward_friend_single_msg", none(func(ctx context.Context, b *Bot) error { return b.ForwardFriendSingleMsg(ctx, 5, 7) }), `{"message_id":7,"user_id":5}`, ``, nil},
	{"forward_group_single_msg", none(func(ctx context.Context, b *Bot) error { return b.ForwardGroupSingleMsg(ctx, 1, 7) }), `{"group_id":1,"message_id":7}`, ``, nil},
	{"set_essence_msg", none(func(ctx context.Context, b *Bot) error { return b.SetEssenceMsg(ctx, 7) }), `{"message_id":7}`, ``, nil},
	{"delete_essence_msg", none(func(ctx context.Context, b *Bot) error { return b.DeleteEssenceMsg(ctx, 7) }), `{"message_id":7}`, ``, nil},
	{"get_essence_msg_list", func(ctx context.Context, b *Bot) (any, error) { return b.GetEssenceMsgList(ctx, 1) }, `{"group_id":1}`,
		`[{"msg_seq":3,"msg_random":4,"sender_id":5,"sender_nick":"甲","operator_id":6,"operator_nick":"乙","message_id":7,"operator_time":1735689600,"content":[{"type":"face","data":{"id":"1"}}]}]`,
		[]EssenceMsg{{7, 3, 4, 5, "甲", time.Time{}, 6, "乙", time.Unix(1735689600, 0), Message{Face(1)}}}},
	{"set_msg_emoji_like", none(func(ctx context.Context, b *Bot) error { return b.SetMsgEmojiLike(ctx, 7, "66", false) }), `{"emoji_id":"66","message_id":7,"set":false}`, ``, nil},
	{"set_group_reaction", none(func(ctx context.Context, b *Bot) error { return b.SetGroupReaction(ctx, 1, 7, "66", true) }), `{"code":"66","group_id":1,"is_add":true,"is_set":true,"message_id":7}`, ``, nil},
	{"get_qzone_msg_list", func(ctx context.Context, b *Bot) (any, error) { return b.GetQzoneMsgList(ctx, 5, 0, 0) }, `{"num":20,"pos":0,"target_uin":5}`,
		`{"total":"9","msglist":[{"tid":"a1","content":"说说","time":1735689600,"comment_num":2,"is_private":true,"images":["https://x"]}]}`,
		QzonePosts{9, []QzonePost{{"a1", "说说", time.Unix(1735689600, 0), 2, true, []string{"https://x"}}}}},
	{"get_qzone_feeds", func(ctx context.Context, b *Bot) (any, error) { return b.GetQzoneFeeds(ctx, 0, 0) }, `{"count":10,"page_num":1}`,
		`{"feeds":[{"uin":"5","nickname":"甲","time":1735689600,"appid":311,"key":"k","html":"<p>"}],"has_more":true}`,
		QzoneFeeds{[]QzoneFeed{{5, "甲", time.Unix(1735689600, 0), "311", "k", "<p>"}}, true}},
	{"comment_qzone", func(ctx context.Context, b *Bot) (any, error) {
		return b.CommentQzone(ctx, 5, "a1", "好", "base64://AA==")
	},
		`{"content":"好","images":["base64://AA=="],"target_uin":5,"tid":"a1"}`, `{"comment_id":7}`, "7"},
	{"comment_qzone", func(ctx context.Context, b *Bot) (any, error) { return b.CommentQzone(ctx, 0, "a1", "好") }, `{"content":"好","tid":"a1"}`, ``, ""},
	{"like_qzone", none(func(ctx context.Context, b *Bot) error { return b.LikeQzone(ctx, 5, "a1", time.Unix(1735689600, 0)) }), `{"abstime":1735689600,"target_uin":5,"tid":"a1"}`, ``, nil},
	{"unlike_qzone", none(func(ctx context.Context, b *Bot) error { return b.UnlikeQzone(ctx, 0, "a1", time.Time{}) }), `{"tid":"a1"}`, ``, nil},
	{"set_qzone_ban", none(func(ctx context.Context, b *Bot) error { return b.SetQzoneBan(ctx, 5, false) }), `{"enable":false,"user_id":5}`, ``, nil},
	{"set_qzone_msg_right", none(func(ctx context.Context, b *Bot) error { return b.SetQzoneMsgRight(ctx, "a1", 16, 5, 6) }), `{"target_uins":[5,6],"tid":"a1","ugc_right":16}`, ``, nil},
	{"modify_custom_face", none(func(ctx context.Context, b *Bot) error { return b.ModifyCustomFace(ctx, "e", "") }), `{"desc":"","emoji_id":"e"}`, ``, nil},
	{"move_custom_face_to_front", none(func(ctx context.Context, b *Bot) error { return b.MoveCustomFaceToFront(ctx, "e") }), `{"emoji_id":"e"}`, ``, nil},
	{"list_filesets", func(ctx context.Context, b *Bot) (any, error) { return b.ListFilesets(ctx) }, `{}`,
		`[{"fileset_id":"f","file_name":"a","orig_name":"b","size":"3","share_url":"https://s","file_id":"i","download_url":"https://d"}]`,
		[]Fileset{{"f", "a", "b", 3, "https://s", "i", "https://d"}}},
	{"rename_flash_file", none(func(ctx context.Context, b *Bot) error { return b.RenameFlashFile(ctx, "f", "新") }), `{"fileset_id":"f","new_name":"新"}`, ``, nil},
	{"delete_flash_file", none(func(ctx context.Context, b *Bot) error { return b.DeleteFlashFile(ctx, "f") }), `{"fileset_id":"f"}`, ``, nil},
	{"share_peer", func(ctx context.Context, b *Bot) (any, error) { return b.SharePeer(ctx, 0, 5) }, `{"user_id":5}`, `{"arkMsg":"{\"app\":1}"}`, `{"app":1}`},
	{"share_group_ex", func(ctx context.Context, b *Bot) (any, error) { return b.ShareGroupEx(ctx, 1) }, `{"group_id":1}`, `"{\"app\":1}"`, `{"app":1}`},
	{"upload_forward_msg", func(ctx context.Context, b *Bot) (any, error) { return b.UploadForwardMsg(ctx, 1, Message{Node(7)}) },
		`{"group_id":1,"messages":[{"type":"node","data":{"id":"7"}}]}`, `{"res_id":"r","forward_id":"r","message_id":0}`, SentForward{0, "r"}},
	{"get_group_album_list", func(ctx context.Context, b *Bot) (any, error) { return b.GetGroupAlbumList(ctx, 1) }, `{"group_id":1}`,
		`[{"id":"a","name":"相册","picNum":2,"createTime":1735689600}]`, []GroupAlbum{{ID: "a", Name: "相册", Pictures: 2, Created: time.Unix(1735689600, 0)}}},
	{"rename_group_file_folder", none(func(ctx context.Context, b *Bot) error { return b.RenameGroupFileFolder(ctx, 1, "/d", "新") }), `{"folder_id":"/d","group_id":1,"name":"新","new_folder_name":"新"}`, ``, nil},
	{"fetch_ptt_text", func(ctx context.Context, b *Bot) (any, error) { return b.FetchPTTText(ctx, 7) }, `{"message_id":7}`, `{"text":"在吗"}`, "在吗"},
	{"get_record", func(ctx context.Context, b *Bot) (any, error) { return b.GetRecord(ctx, "a.amr", "") }, `{"file":"a.amr"}`, `{"file":"/a.amr","base64":"AA=="}`, FileInfo{File: "/a.amr", Base64: "AA=="}},
	{"fetch_emoji_like", func(ctx context.Context, b *Bot) (any, error) { return b.FetchEmojiLike(ctx, 7, "128516", 0, "") },
		`{"cookie":"","count":20,"emojiId":"128516","emojiType":2,"emoji_id":"128516","message_id":7}`,
		`{"emojiLikesList":[{"tinyId":"5","nickName":"甲","headUrl":"https://x"}],"cookie":"c","isLastPage":true}`, EmojiLikes{[]EmojiUser{{5, "甲", "https://x"}}, "c", true}},
}

func none(f func(context.Context, *Bot) error) func(context.Context, *Bot) (any, error) {
	return func(ctx context.Context, b *Bot) (any, error) { return nil, f(ctx, b) }
}

func TestBot_ExtensionActions(t *testing.T) {
	for _, c := range actionCases {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{data: c.data}
			got, err := c.do(t.Context(), NewBot(r, 10000))
			require.NoError(t, err)
			assert.Equal(t, c.name, r.action)
			assert.Equal(t, c.params, r.params)
			assert.Equal(t, c.want, got)
		})
	}
}

// A result of a wrong shape is an error, and a member of a wrong type is zero. Neither panics.
func TestBot_ResultsOfWrongTypes(t *testing.T) {
	for _, c := range actionCases {
		for _, data := range []string{`null`, `7`, `"x"`, `[]`, `[7]`, `{}`, `[[]]`, `{"messages":{}}`, `[{"message":7,"content":{},"characters":"x"}]`} {
			_, err := c.do(t.Context(), NewBot(&recorder{data: data}, 10000))
			if err != nil {
				assert.NotEmpty(t, err.Error())
			}
		}
	}
}

func TestGetForwardMsg_InvalidResult(t *testing.T) {
	_, err := NewBot(&recorder{data: `{"messages":{}}`}, 10000).GetForwardMsg(t.Context(), "f")
	assert.Error(t, err)
	nodes, err := NewBot(&recorder{data: `{"messages":[]}`}, 10000).GetForwardMsg(t.Context(), "f")
	require.NoError(t, err)
	assert.Empty(t, nodes)
}

func TestSendForwardMsg_OnlyNodes(t *testing.T) {
	r := &recorder{}
	_, err := NewBot(r, 10000).SendGroupForwardMsg(t.Context(), 1, Message{Text("在")}, ForwardPreview{})
	assert.ErrorIs(t, err, ErrBadParams)
	assert.Empty(t, r.action, "nothing goes out")
}

func TestUploadForwardMsg_OnlyNodes(t *testing.T) {
	_, err := NewBot(&recorder{}, 10000).UploadForwardMsg(t.Context(), 0, Message{Text("在")})
	assert.ErrorIs(t, err, ErrBadParams)
}

// An action with several names is called by the one that the implementation knows, also after another implementation
// takes over the account.
func TestBot_RemembersNames(t *testing.T) {
	var asked []string
	known := "voice_msg_to_text"
	bot := &Bot{Caller: callerFunc(func(_ context.Context, action string, _, result any) error {
		asked = append(asked, action)
		if action != known {
			return &APIError{Action: action, Code: 1404}
		}
		return json.Unmarshal([]byte(`{"text":"在"}`), result)
	})}
	read := func() (string, error) { asked = nil; return bot.FetchPTTText(t.Context(), 7) }
	for _, want := range [][]string{{"fetch_ptt_text", known}, {known}} {
		text, err := read()
		require.NoError(t, err)
		assert.Equal(t, "在", text)
		assert.Equal(t, want, asked)
	}
	known = "get_record_text"
	_, err := read()
	require.NoError(t, err)
	known = "none"
	_, err = read()
	assert.ErrorIs(t, err, ErrUnknownAction)
	known = "fetch_ptt_text"
	_, err = read()
	require.NoError(t, err)
}
