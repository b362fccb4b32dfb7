from terminal.test_stories import *
@pytest.mark.parametrize("keys",["33","22","3\r","\r\r","s3","3s3"])
def test_burst(opened, filled_home, keys):
    t = opened(columns=160)
    t.wait_for(LIVE)
    find(t,"Zelda Longthread")
    t.press("s"); t.wait_for("Status · "); t.wait_for_quiet(0.3)
    t.press(keys)
    t.wait_for_quiet(0.5)
    t.press("2"); t.wait_for("Open \\d+")
@pytest.mark.parametrize("dialog,keys",[("d","11"),("d","1\r"),("t","\r\r"),("a","\r\r"),("?","qq"),("?","\r\r"),(":","\r\r"),("i","qq"),("s","qq")])
def test_burst2(opened, filled_home, dialog, keys):
    t = opened(columns=160)
    t.wait_for(LIVE)
    find(t,"Zelda Longthread")
    t.press(dialog); t.wait_for_quiet(0.4)
    t.press(keys)
    t.wait_for_quiet(0.5)
    t.press("x"); t.wait_for_quiet(0.2)
