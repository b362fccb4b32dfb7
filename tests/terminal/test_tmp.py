from terminal.test_stories import *
@pytest.mark.parametrize("dialog,keys",[(":","\r\r"),("d","1\r"),("d","\r\r"),("t","\r\r"),("a"," \r\r"),("?","\r\r"),("i","qq"),("i","\r\r"),("O","\r\r"),("/","\r\r\r")])
def test_burst2(opened, filled_home, dialog, keys):
    t = opened(columns=160)
    t.wait_for(LIVE)
    find(t,"Zelda Longthread")
    t.press(dialog); t.wait_for_quiet(0.4)
    t.press(keys)
    t.wait_for_quiet(0.5)
    t.press("x"); t.wait_for_quiet(0.2)
